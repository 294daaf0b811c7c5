/** lldp_binding.c as the binary has it. */
declare module 'minnow:lldp' {
  const binding: import('./lldp.ts').LldpBinding
  export default binding
}
