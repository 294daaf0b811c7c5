/** flash_binding.c as the binary has it. */
declare module 'minnow:flash' {
  const binding: import('./flash.ts').FlashBinding
  export default binding
}
