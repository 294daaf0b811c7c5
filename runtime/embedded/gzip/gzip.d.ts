/** The exports of `gzip_binding.c` for `modules/fflate.ts`. */
declare module 'minnow:gzip' {
  const binding: {
    /** @throws Error for what is no file of gzip, or a damaged one */
    unpack(file: Uint8Array): Uint8Array
  }
  export default binding
}
