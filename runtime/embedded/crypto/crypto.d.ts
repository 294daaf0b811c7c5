/** The exports of `module.c` for `modules/crypto.ts`. Bytes are given as a string (UTF-8) or a Uint8Array. */
declare module 'minnow:crypto' {
  export type Bytes = string | Uint8Array
  export type Encoding = 'hex' | 'base64' | 'base64url'
  /** A hash or HMAC in the making, owned by the binding. */
  export type Digest = { readonly digest: unique symbol }
  export type Kind = 'P-256' | 'P-384' | 'rsa'
  /** A key, owned by the binding and overwritten when it is collected. */
  export type Key = { readonly key: unique symbol }

  const binding: {
    random(size: number): Uint8Array
    hash(algorithm: string, data: Bytes, encoding?: Encoding): string | Uint8Array
    begin(algorithm: string, key?: Bytes): Digest
    update(digest: Digest, data: Bytes): void
    finish(digest: Digest, encoding?: Encoding): string | Uint8Array
    equal(a: Uint8Array, b: Uint8Array): boolean
    pbkdf2(password: Bytes, salt: Bytes, iterations: number, size: number, algorithm: string): Promise<Uint8Array>
    /** `bits` of an RSA key; the private half as PKCS#8, or as SEC 1 or PKCS#1. */
    generateKey(kind: Kind, bits: number, pkcs8: boolean): Promise<{ privateKey: string; publicKey: Uint8Array }>
    privateKey(text: Bytes): Key
    /** SPKI as PEM or DER, or a private key as PEM. */
    publicKey(text: Bytes): Key
    /** `spki`: the public half as DER. */
    describeKey(key: Key): { kind: Kind; bits: number; spki: Uint8Array }
    sign(algorithm: string, data: Bytes, key: Key): Uint8Array
    certificate(text: Bytes): Uint8Array
    matches(certificate: Uint8Array, key: Key): boolean
    isSignedBy(certificate: Uint8Array, key: Key): boolean
  }
  export default binding
}
