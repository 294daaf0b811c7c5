/** The exports of `module.c` for `modules/crypto.ts`. Bytes are given as a string (UTF-8) or a Uint8Array. */
declare module 'minnow:crypto' {
  export type Bytes = string | Uint8Array
  export type Encoding = 'hex' | 'base64'
  /** A hash in the making, owned by the binding. */
  export type Digest = { readonly digest: unique symbol }
  export type Kind = 'P-256' | 'P-384' | 'rsa'
  /** A key, owned by the binding and overwritten when it is collected. */
  export type Key = { readonly key: unique symbol }

  const binding: {
    random(size: number): Uint8Array
    hash(algorithm: string, data: Bytes, encoding?: Encoding): string | Uint8Array
    hmac(algorithm: string, key: Bytes, data: Bytes): Uint8Array
    begin(algorithm: string): Digest
    update(digest: Digest, data: Bytes): void
    finish(digest: Digest, encoding?: Encoding): string | Uint8Array
    equal(a: Uint8Array, b: Uint8Array): boolean
    pbkdf2(password: Bytes, salt: Bytes, iterations: number, size: number, algorithm: string): Promise<Uint8Array>
    /**
     * RSA with this number of bits, P-256 for 0; the private half as PKCS#1 or SEC 1 in PEM, the public half as SPKI in
     * DER.
     */
    generateKey(bits: number): Promise<{ privateKey: string; publicKey: Uint8Array }>
    privateKey(text: Bytes): Key
    /** SPKI in DER. */
    publicKey(spki: Uint8Array): Key
    describeKey(key: Key): { kind: Kind; bits: number }
    sign(algorithm: string, data: Bytes, key: Key): Uint8Array
    /** Whether it is a signature of HSS/LMS by the key, SPKI in DER. @throws Error for a key of another kind */
    verifyLms(data: Bytes, spki: Uint8Array, signature: Uint8Array): boolean
    certificate(text: Bytes): Uint8Array
    matches(certificate: Uint8Array, key: Key): boolean
    isSignedBy(certificate: Uint8Array, key: Key): boolean
  }
  export default binding
}
