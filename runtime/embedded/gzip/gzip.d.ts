/** The exports of `gzip_binding.c` for `modules/fflate.ts`. */
declare module 'minnow:gzip' {
  const binding: {
    /** @throws Error for a file that is not gzip, or is damaged */
    unpack(file: Uint8Array): Uint8Array
  }
  export default binding
}
