// needs: openssl
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { directory, type Scope } from './server.ts'

/** A certificate and, where this made it, its private key; PEM. */
export interface Issued {
  readonly cert: string
  readonly key: string
}

export interface IssueWish {
  readonly subject?: string
  /** Days from now; negative ones are past. */
  readonly from?: number
  readonly until?: number
  /** Lines of openssl's configuration. */
  readonly extensions?: readonly string[]
  /** The kind of the new key as openssl names it; P-256 where none is named. */
  readonly newkey?: readonly string[]
}

const clientExtensions = [
  'basicConstraints=CA:FALSE',
  'keyUsage=critical,digitalSignature',
  'extendedKeyUsage=clientAuth'
]

export const serverExtensions = [
  'basicConstraints=CA:FALSE',
  'keyUsage=critical,digitalSignature',
  'extendedKeyUsage=serverAuth',
  'subjectAltName=IP:127.0.0.1,DNS:localhost'
]

export const authorityExtensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign']

/** A certification authority of openssl's. */
export class Authority {
  readonly #folder: string
  readonly cert: string

  /** @param issuer another authority that issues its certificate; by default itself */
  constructor(t: Scope, name: string, extensions: readonly string[] = authorityExtensions, issuer?: Authority) {
    this.#folder = directory(t)
    writeFileSync(this.#file('empty.cnf'), '[req]\ndistinguished_name=name\n[name]\n')
    const begin = [
      'req',
      '-new',
      '-nodes',
      '-config',
      this.#file('empty.cnf'),
      '-newkey',
      ...ec('P-256'),
      '-subj',
      `/CN=${name}`
    ]
    const files = ['-keyout', this.#file('ca.key'), '-out', this.#file('ca.pem')]
    if (issuer === undefined) {
      openssl([...begin, '-x509', '-days', '30', ...files, ...extensions.flatMap((each) => ['-addext', each])])
    } else {
      openssl([...begin, ...files])
      writeFileSync(this.#file('ca.pem'), issuer.sign(readFileSync(this.#file('ca.pem'), 'utf8'), { extensions }))
    }
    this.cert = readFileSync(this.#file('ca.pem'), 'utf8')
    writeFileSync(this.#file('index.txt'), '')
    writeFileSync(this.#file('index.txt.attr'), 'unique_subject = no\n')
    writeFileSync(this.#file('serial'), '1000\n')
  }

  /** A new key and a certificate for a client, unless its extensions say otherwise. */
  issue(wish: IssueWish = {}): Issued {
    const { subject = '/CN=operator', newkey = ec('P-256') } = wish
    const begin = ['req', '-new', '-nodes', '-config', this.#file('empty.cnf'), '-newkey', ...newkey, '-subj', subject]
    openssl([...begin, '-keyout', this.#file('new.key'), '-out', this.#file('new.csr')])
    const request = readFileSync(this.#file('new.csr'), 'utf8')
    return { key: readFileSync(this.#file('new.key'), 'utf8'), cert: this.sign(request, wish) }
  }

  /** The certificate for a signing request, both in PEM. */
  sign(request: string, { from = -1, until = 10, extensions = clientExtensions }: IssueWish = {}): string {
    writeFileSync(this.#file('request.csr'), request)
    writeFileSync(this.#file('ca.cnf'), this.#configuration(extensions))
    const dates = ['-startdate', stamp(from), '-enddate', stamp(until)]
    const files = ['-config', this.#file('ca.cnf'), '-in', this.#file('request.csr'), '-out', this.#file('signed.pem')]
    openssl(['ca', '-batch', '-notext', '-preserveDN', ...dates, ...files])
    return readFileSync(this.#file('signed.pem'), 'utf8')
  }

  #configuration(extensions: readonly string[]): string {
    const file = (name: string) => this.#file(name)
    return `[ca]
default_ca=own
[own]
database=${file('index.txt')}
serial=${file('serial')}
new_certs_dir=${this.#folder}
certificate=${file('ca.pem')}
private_key=${file('ca.key')}
default_md=sha256
policy=any
x509_extensions=wanted
[any]
commonName=optional
[wanted]
${extensions.join('\n')}
`
  }

  #file(name: string): string {
    return join(this.#folder, name)
  }
}

/** Openssl's words for a key of a curve. */
export const ec = (curve: string) => ['ec', '-pkeyopt', `ec_paramgen_curve:${curve}`]

/** A private key as `openssl pkey` writes it with these options. */
export function rewritten(key: string, ...options: string[]): string {
  return execFileSync('openssl', ['pkey', ...options], { encoding: 'utf8', input: key })
}

/** The output of `openssl req -verify` for a request. */
export function verifyRequest(t: Scope, request: string): string {
  const file = join(directory(t), 'request.csr')
  writeFileSync(file, request)
  return execFileSync(
    'openssl',
    ['req', '-in', file, '-noout', '-verify', '-subject', '-text', '-nameopt', 'RFC2253'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore']
    }
  )
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** YYYYMMDDHHMMSSZ */
function stamp(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000)
  return `${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`
}

/** A license key of the program that makes them. */
export function licenseKey(...options: string[]): string {
  const made = execFileSync(process.execPath, ['runtime/build/license.mjs', ...options], { encoding: 'utf8' })
  return made.trim()
}
