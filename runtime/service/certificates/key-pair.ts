import { generateKeyPair } from 'node:crypto'
import { type KeyKind, rsaBits } from '#data/certificates'
import * as der from '#runtime/base/der.ts'

export interface KeyPair {
  /** PEM: SEC 1 (RFC 5915) or PKCS #1 (RFC 8017). */
  readonly privateKey: string
  /** SubjectPublicKeyInfo in DER (RFC 5280, section 4.1.2.7). */
  readonly publicKey: Uint8Array
}

/** Makes a key pair on the worker pool: RSA of so many bits takes seconds on a small processor. */
export function makeKeyPair(kind: KeyKind, bits: number = rsaBits[0]): Promise<KeyPair> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, publicKey: Uint8Array, privateKey: string) =>
      error ? reject(error) : resolve({ privateKey, publicKey })
    const publicKeyEncoding = { type: 'spki', format: 'der' } as const
    if (kind === 'EC') {
      const privateKeyEncoding = { type: 'sec1', format: 'pem' } as const
      generateKeyPair('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding }, settle)
    } else {
      const privateKeyEncoding = { type: 'pkcs1', format: 'pem' } as const
      generateKeyPair('rsa', { modulusLength: bits, publicKeyEncoding, privateKeyEncoding }, settle)
    }
  })
}

/** The algorithm of `sign('sha256', …)` with a key, as certificates and requests name it (RFC 5758, RFC 4055). */
export const signatureAlgorithm: Readonly<Record<KeyKind, Uint8Array>> = {
  EC: der.sequence(der.oid('1.2.840.10045.4.3.2')),
  RSA: der.sequence(der.oid('1.2.840.113549.1.1.11'), der.element(0x05))
}
