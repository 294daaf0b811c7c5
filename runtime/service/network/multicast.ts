import { createSocket, type Socket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { ipBytes } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'

/** How often interfaces are looked at, in milliseconds: an address may come, or go. */
const lookEvery = 10_000

/** Messages that are sent within this time, in milliseconds, at most: nobody has the controller flood the network. */
const period = 1000
const mostPerPeriod = 20

/** Who has sent a message. */
export interface Peer {
  readonly address: string
  readonly port: number
}

interface Options {
  readonly group: string
  readonly port: number
  /** How many routers may pass what is sent to the group. */
  readonly ttl: number
  /** Only who is in the network of an interface is heard. */
  readonly isLocal: boolean
  /** @param own the address of this machine that the peer can reach */
  readonly heard: (message: Uint8Array, from: Peer, own: string) => void
  /** There is another address that the peers of its network can reach. */
  readonly appeared: (own: string) => void
}

/**
 * A group of multicast on all IPv4 interfaces of the machine. One socket hears what is sent to the group; each interface has
 * one more, which sends, and hears what is sent to its address.
 */
export class Multicast {
  readonly #options: Options
  readonly #all: Socket
  /** By their addresses. */
  readonly #own = new Map<string, Socket>()
  readonly #looking: NodeJS.Timeout
  #isBound = false
  #sent = 0
  #since = 0

  constructor(options: Options) {
    this.#options = options
    this.#all = this.#open(options.group, () => {
      this.#isBound = true
      this.#look()
    })
    this.#looking = setInterval(() => this.#look(), lookEvery)
    this.#looking.unref()
  }

  /** Sends to a peer, or to the group, from an own address. Nobody hears of failures, and there may be none that hears. */
  send(message: Uint8Array, own: string, to?: Peer): void {
    const now = performance.now()
    if (now - this.#since > period) {
      this.#since = now
      this.#sent = 0
    }
    this.#sent += 1
    if (this.#sent <= mostPerPeriod) this.#send(message, own, to, () => {})
  }

  /** Sends to the group from each address. */
  toAll(message: (own: string) => Uint8Array): void {
    for (const own of this.#own.keys()) this.send(message(own), own)
  }

  /** Closes it, with last words from each address. */
  close(message: (own: string) => Uint8Array): void {
    clearInterval(this.#looking)
    if (this.#isBound) this.#all.close()
    this.#isBound = false
    for (const [own, socket] of this.#own) this.#send(message(own), own, undefined, () => attempt(() => socket.close()))
    this.#own.clear()
  }

  #send(message: Uint8Array, own: string, to: Peer | undefined, done: () => void): void {
    const { address, port } = to ?? { address: this.#options.group, port: this.#options.port }
    attempt(() => this.#own.get(own)?.send(message, port, address, done))
  }

  #open(address: string, bound: () => void): Socket {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    const { group, port, heard } = this.#options
    socket.on('message', (message, from) => {
      const own = this.#towards(from.address)
      if (own !== undefined) heard(message, from, own)
    })
    socket.on('error', (error) => {
      log(address === group ? 'warning' : 'debug', 'nobody is heard', { address, port, cause: error.message })
      if (this.#own.get(address) === socket) this.#own.delete(address)
      attempt(() => socket.close())
    })
    socket.bind({ address, port }, bound)
    return socket
  }

  /** The address whose network a peer is in; for one from elsewhere, if it is heard, one that not only this machine has. */
  #towards(peer: string): string | undefined {
    const bytes = ipBytes(peer) ?? []
    const isNear = ({ address, netmask }: Interface) =>
      ipBytes(netmask)?.every((mask, index) => (mask & bytes[index]!) === (mask & ipBytes(address)![index]!))
    const known = interfaces().filter(({ address }) => this.#own.has(address))
    const others = this.#options.isLocal ? [] : known.filter(({ internal }) => !internal)
    return (known.find(isNear) ?? others[0])?.address
  }

  /** Has a socket for each interface that has come, and none for those that have gone. */
  #look(): void {
    if (!this.#isBound) return
    const present = new Set(interfaces().map(({ address }) => address))
    for (const [own, socket] of this.#own) {
      if (present.has(own)) continue
      attempt(() => socket.close())
      this.#own.delete(own)
    }
    for (const own of present) {
      if (this.#own.has(own)) continue
      const socket = this.#open(own, () => {
        if (this.#own.get(own) !== socket) return
        attempt(() => socket.setMulticastTTL(this.#options.ttl))
        attempt(() => this.#all.addMembership(this.#options.group, own))
        this.#options.appeared(own)
      })
      this.#own.set(own, socket)
    }
  }
}

interface Interface {
  readonly address: string
  readonly netmask: string
  readonly internal: boolean
}

/** The IPv4 interfaces that are up. */
function interfaces(): readonly Interface[] {
  try {
    return Object.values(networkInterfaces()).flatMap((each = []) => each.filter(({ family }) => family === 'IPv4'))
  } catch {
    return []
  }
}

/** An interface may have gone, or know no multicast; so may a socket. */
function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    log('debug', 'a socket is of no use', { cause: (error as Error).message })
  }
}
