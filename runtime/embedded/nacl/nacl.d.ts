/** The exports of `nacl_binding.c` for `modules/tweetnacl.ts`. An Error for a key, nonce or signature of a wrong length. */
declare module 'minnow:nacl' {
  const binding: {
    verify(text: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean
    seal(text: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array
    /** Null for a box that was not sealed under this key and nonce. */
    open(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array | null
  }
  export default binding
}
