/** What `binding.c` offers to `modules/crypto.ts`. Bytes are given as a string (UTF-8) or a Uint8Array. */
declare module 'minnow:crypto' {
  export type Bytes = string | Uint8Array
  export type Encoding = 'hex' | 'base64' | 'base64url'
  /** A hash or HMAC in the making, owned by the binding. */
  export type Digest = { readonly digest: unique symbol }
  /** A private key, owned by the binding and overwritten when it is collected. */
  export type Key = { readonly key: unique symbol }

  const binding: {
    random(size: number): Uint8Array
    hash(algorithm: string, data: Bytes, encoding?: Encoding): string | Uint8Array
    begin(algorithm: string, key?: Bytes): Digest
    update(digest: Digest, data: Bytes): void
    finish(digest: Digest, encoding?: Encoding): string | Uint8Array
    equal(a: Uint8Array, b: Uint8Array): boolean
    pbkdf2(password: Bytes, salt: Bytes, iterations: number, size: number, algorithm: string): Promise<Uint8Array>
    generateKey(): Promise<{ privateKey: string; publicKey: Uint8Array }>
    privateKey(text: Bytes): Key
    sign(algorithm: string, data: Bytes, key: Key): Uint8Array
    certificate(text: Bytes): Uint8Array
    matches(certificate: Uint8Array, key: Key): boolean
  }
  export default binding
}
