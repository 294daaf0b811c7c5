/** channel_binding.c as the binary has it. */
declare module 'minnow:channel' {
  const binding: import('./channel.ts').ChannelBinding
  export default binding
}
