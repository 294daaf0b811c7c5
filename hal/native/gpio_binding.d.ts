/** gpio_binding.c as the binary has it. */
declare module 'minnow:gpio' {
  const binding: import('./gpio.ts').GpioBinding
  export default binding
}
