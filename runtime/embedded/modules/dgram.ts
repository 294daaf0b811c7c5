/** Node's dgram, as far as the service uses it, over `runtime/embedded/datagram`. */

import datagram, { type Datagram } from 'minnow:datagram'
import system from 'minnow:system'
import { EventEmitter } from 'node:events'

type Done = (error: Error | null) => void

/** Node's dgram.Socket. It shares its port, and keeps no process alive that closes it. */
export class Socket extends EventEmitter {
  #datagram: Datagram | undefined

  bind({ address, port }: { address: string; port: number }, bound: () => void): this {
    const opened = datagram.open(address, port, (bytes, from, at) => {
      if (this.#datagram !== undefined) this.emit('message', bytes, { address: from, port: at })
    })
    if (typeof opened !== 'number') this.#datagram = opened
    queueMicrotask(() => {
      if (typeof opened === 'number') this.emit('error', failed(opened, 'bind'))
      else if (this.#datagram !== undefined) bound()
    })
    return this
  }

  addMembership(group: string, own: string): void {
    check(datagram.join(this.#bound(), group, own), 'addMembership')
  }

  setMulticastTTL(ttl: number): void {
    check(datagram.setTtl(this.#bound(), ttl), 'setMulticastTTL')
  }

  send(bytes: Uint8Array, port: number, address: string, done: Done): void {
    const error = datagram.send(this.#bound(), bytes, address, port)
    queueMicrotask(() => done(error === 0 ? null : failed(error, 'send')))
  }

  close(): void {
    const open = this.#bound()
    this.#datagram = undefined
    datagram.close(open)
  }

  #bound(): Datagram {
    if (this.#datagram === undefined) throw new Error('Not running')
    return this.#datagram
  }
}

/** Node's dgram.createSocket. The bound address determines the family of the socket. */
export function createSocket(_options: {
  readonly type: 'udp4' | 'udp6'
  readonly ipv6Only: boolean
  readonly reuseAddr: true
}): Socket {
  return new Socket()
}

function check(result: number, call: string): void {
  if (result !== 0) throw failed(result, call)
}

function failed(error: number, call: string): Error {
  const { code } = system.describeError(error)
  return Object.assign(new Error(`${call} ${code}`), { errno: error, code, syscall: call })
}
