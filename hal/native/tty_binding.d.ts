/** tty_binding.c as the binary has it. */
declare module 'minnow:tty' {
  const binding: import('./tty.ts').TtyBinding
  export default binding
}
