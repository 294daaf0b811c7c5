import native from 'minnow:crypto'
import { certificateFields } from '#runtime/base/certificate-fields.ts'
import { KeyObject } from '../crypto/keys.ts'

/** An X.509 certificate (RFC 5280), all of which C has read. The domain reads its fields from `raw`. */
export class X509Certificate {
  readonly raw: Uint8Array

  /** @throws Error for bytes that are not a certificate, or have a kind of key that Mbed TLS does not support */
  constructor(text: string | Uint8Array) {
    this.raw = native.certificate(text)
  }

  /** @throws Error for a key that is neither for P-256, P-384 nor RSA */
  get publicKey(): KeyObject {
    return new KeyObject(native.publicKey(certificateFields(this.raw).publicKey.raw))
  }

  /** Whether this certificate's key is the other half of `key`. */
  checkPrivateKey(key: KeyObject): boolean {
    return native.matches(this.raw, key.handle)
  }

  /** Whether this certificate was signed with the other half of `key`. Nothing but that: neither names nor dates. */
  verify(key: KeyObject): boolean {
    return native.isSignedBy(this.raw, key.handle)
  }
}
