/** level-transcoder and abstract-level ask for `Buffer`; here bytes are plain Uint8Arrays, and nothing is one. */
export const Buffer = {
  isBuffer: (_value: unknown) => false,
  from: (bytes: ArrayBuffer, offset?: number, length?: number) => new Uint8Array(bytes, offset, length)
}
