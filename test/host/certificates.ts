// needs: openssl
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { directory, type Scope } from './server.ts'

/** A self-signed certificate that openssl made, and its private key; both PEM. */
export interface Signer {
  readonly certificate: string
  readonly key: string
}

export interface Wish {
  readonly subject: string
  /** As openssl names them. */
  readonly newkey?: readonly string[]
  readonly extensions?: readonly string[]
  readonly days?: number
}

/** An EC key unless another is asked for: it is quickly made. */
export function makeSigner(t: Scope, wish: Wish): Signer {
  const { subject, newkey = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], extensions = [], days = 30 } = wish
  const [key, certificate] = [join(directory(t), 'key.pem'), join(directory(t), 'certificate.pem')]
  const asked = extensions.flatMap((each) => ['-addext', each])
  const begin = ['req', '-x509', '-nodes', '-utf8', '-newkey', ...newkey, '-subj', subject, '-days', String(days)]
  execFileSync('openssl', [...begin, '-keyout', key, '-out', certificate, ...asked], {
    stdio: ['ignore', 'ignore', 'pipe']
  })
  return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
}
