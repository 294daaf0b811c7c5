// needs: openssl
/** Certificates of clients, made by openssl, and one that its owner does not have the key of. */

import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { workFolder } from './dropIn.ts'

/** PEM texts; `cert` may be a chain, the client's own first. */
export interface ClientCertificate {
  readonly key: string
  readonly cert: string
  /** The files that they are in. */
  readonly files: { readonly key: string; readonly cert: string }
  /** DER of the client's own certificate, as hex. */
  readonly der: string
}

export interface Wish {
  readonly newkey?: readonly string[]
  readonly extensions?: readonly string[]
  readonly issuer?: ClientCertificate
  readonly subject?: string
  /** A file with a key, in the place of a new one. */
  readonly key?: string
  /** How the signature is made. */
  readonly signing?: readonly string[]
}

export const kinds = {
  'P-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'P-521': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  Ed25519: ['ed25519'],
  RSA: ['rsa:2048']
} as const

/** One that was valid for a day, long ago. */
export async function expired(t: Test): Promise<ClientCertificate> {
  const wish = { commonName: 'operator', altNames: { dns: [], ip: [] }, now: new Date('2021-01-01'), days: 1 }
  const { key, cert } = await selfSigned({ ...wish, random: randomBytes })
  return written(t, key, cert)
}

function written(t: Test, key: string, cert: string): ClientCertificate {
  const folder = mkdtempSync(join(workFolder, 'client-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') }
  writeFileSync(files.key, key)
  writeFileSync(files.cert, cert)
  return { key, cert, files, der: new X509Certificate(cert).raw.toString('hex') }
}

/** A certificate that signed itself, or that `issuer` signed; then the issuer's follows in `cert`. */
export function clientCertificate(t: Test, wish: Wish = {}): ClientCertificate {
  const { newkey = kinds['P-256'], extensions = [], issuer, subject = '/CN=operator', key, signing = [] } = wish
  const signer = issuer ? ['-CA', issuer.files.cert, '-CAkey', issuer.files.key] : []
  const added = extensions.flatMap((each) => ['-addext', each])
  const holder = key === undefined ? ['-newkey', ...newkey, '-keyout', '-'] : ['-key', key]
  const words = ['req', '-x509', '-nodes', ...holder, '-subj', subject, ...added, ...signing]
  const both = execFileSync('openssl', [...words, ...signer], { encoding: 'utf8', stdio: 'pipe' })
  const begin = both.indexOf('-----BEGIN CERTIFICATE-----')
  return written(
    t,
    key === undefined ? both.slice(0, begin) : readFileSync(key, 'utf8'),
    both.slice(begin) + (issuer?.cert ?? '')
  )
}

/**
 * A key that says it is the certificate's, and signs with another: OpenSSL compares the public halves alone.
 */
export function liar({ cert, der, files }: ClientCertificate): ClientCertificate {
  const claimed = createPublicKey(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'pem' }))
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const key = createPrivateKey({ key: { ...claimed.export({ format: 'jwk' }), d: other.d! }, format: 'jwk' })
  return { key: key.export({ type: 'sec1', format: 'pem' }) as string, cert, der, files }
}
