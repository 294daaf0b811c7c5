/** The exports of `datagram_binding.c` for `modules/dgram.ts`. */
declare module 'minnow:datagram' {
  /** A socket. After `close` it is harmless and good for nothing. */
  export type Datagram = { readonly datagram: unique symbol }

  const binding: {
    /** A socket that is bound to an address (`fe80::1%eth0` if it is of a link) and port, or a negative errno. */
    open(
      address: string,
      port: number,
      message: (bytes: Uint8Array, address: string, port: number) => void
    ): Datagram | number
    /** 0 or a negative errno. @param own an address of the interface, or for IPv6 the interface as `::%eth0` */
    join(socket: Datagram, group: string, own: string): number
    /** 0 or a negative errno. */
    setTtl(socket: Datagram, ttl: number): number
    /** 0 or a negative errno. */
    send(socket: Datagram, bytes: Uint8Array, address: string, port: number): number
    close(socket: Datagram): void
  }
  export default binding
}
