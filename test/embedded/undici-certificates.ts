// needs: openssl
/** Certificates that openssl made, for servers, clients and authorities. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Signed {
  readonly certificate: string
  readonly key: string
}

export interface Wish {
  readonly subject: string
  /** As openssl names them: `DNS:localhost`, `IP:127.0.0.1`. */
  readonly names?: readonly string[]
  readonly isAuthority?: boolean
  /** The signer; the certificate itself, if none is given. */
  readonly by?: Signed
  /** Days from now, of a validity that began a year ago; below zero: it is over. */
  readonly days?: number
  /** As openssl names it: `serverAuth`, `clientAuth`. */
  readonly usage?: string
  /** As openssl names kinds of keys. */
  readonly newkey?: readonly string[]
}

const p256 = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] })

const stamp = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')

/** A key, for P-256 if nothing is said, and a certificate for it, valid from `days - 365` to `days` from now. */
export function signed({
  subject,
  names = [],
  isAuthority = false,
  by,
  days = 30,
  usage,
  newkey = p256
}: Wish): Signed {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-certificates-'))
  const file = (name: string) => join(folder, name)
  try {
    const extensions = [
      `basicConstraints=critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`,
      'subjectKeyIdentifier=hash',
      ...(names.length ? [`subjectAltName=${names.join(',')}`] : []),
      ...(isAuthority ? ['keyUsage=critical,keyCertSign'] : []),
      ...(usage ? [`extendedKeyUsage=${usage}`] : [])
    ]
    const configuration = [
      '[ca]\ndefault_ca=all\n[all]',
      `new_certs_dir=${folder}\ndatabase=${file('index')}\ndefault_md=sha256\npolicy=any\nunique_subject=no`,
      'rand_serial=yes\nx509_extensions=extensions\n[any]\ncommonName=supplied',
      `[req]\ndistinguished_name=name\n[name]\n[extensions]\n${extensions.join('\n')}\n`
    ]
    writeFileSync(file('index'), '')
    writeFileSync(file('openssl.cnf'), configuration.join('\n'))
    const key = ['-newkey', ...newkey, '-nodes', '-keyout', file('key.pem')]
    openssl(
      'req',
      '-new',
      '-config',
      file('openssl.cnf'),
      ...key,
      '-subj',
      `/CN=${subject}`,
      '-out',
      file('request.pem')
    )
    if (by) {
      writeFileSync(file('ca.pem'), by.certificate)
      writeFileSync(file('ca-key.pem'), by.key, { mode: 0o600 })
    }
    const issuer = by
      ? ['-cert', file('ca.pem'), '-keyfile', file('ca-key.pem')]
      : ['-selfsign', '-keyfile', file('key.pem')]
    const dates = ['-startdate', stamp(days - 365), '-enddate', stamp(days)]
    const what = ['-in', file('request.pem'), '-out', file('certificate.pem')]
    openssl('ca', '-batch', '-notext', '-config', file('openssl.cnf'), ...issuer, ...dates, ...what)
    return { certificate: readFileSync(file('certificate.pem'), 'utf8'), key: readFileSync(file('key.pem'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
