import { createSocket, type Socket } from 'node:dgram'
import { ipBytes } from '#runtime/base/ip.ts'
import { log } from '#runtime/base/log.ts'
import { type OwnAddress, ownAddresses } from './own-addresses.ts'

/** How often interfaces are looked at, in milliseconds: an address may come, or go. */
const lookEvery = 10_000

/** Messages sent within this time, in milliseconds, at most: no client makes the controller flood the network. */
const period = 1000
const mostPerPeriod = 20

/** Who has sent a message. */
export interface Peer {
  readonly address: string
  readonly port: number
}

interface Options {
  /** Of IPv4, or one of a link (RFC 4291 2.7) of IPv6. */
  readonly group: string
  readonly port: number
  /** The address that the service listens on. */
  readonly listens: string
  /** How many routers may pass what is sent to the group. */
  readonly ttl: number
  /** Only who is in the network of an interface is heard. */
  readonly isLocal: boolean
  /** @param own the address of this machine that the peer can reach */
  readonly heard: (message: Uint8Array, from: Peer, own: OwnAddress) => void
  /** There is another address that the peers of its network can reach. */
  readonly appeared: (own: OwnAddress) => void
}

/**
 * A group of multicast on all interfaces of the machine that the service listens on. One socket hears what is sent to the
 * group; each address of the group's family has one more, which sends, and hears what is sent to it.
 */
export class Multicast {
  readonly #options: Options
  readonly #isSix: boolean
  readonly #all: Socket
  /** By their addresses. */
  readonly #own = new Map<string, { readonly own: OwnAddress; readonly socket: Socket }>()
  readonly #looking: NodeJS.Timeout
  #isBound = false
  #sent = 0
  #since = 0

  constructor(options: Options) {
    this.#options = options
    this.#isSix = options.group.includes(':')
    // A group of a link needs an interface to be bound to: all of them have one socket that is bound to none.
    this.#all = this.#open(this.#isSix ? '::' : options.group, () => {
      this.#isBound = true
      this.#look()
    })
    this.#looking = setInterval(() => this.#look(), lookEvery)
    this.#looking.unref()
  }

  /** Sends to a peer, or to the group, from an own address. Failures are ignored: a peer may not exist. */
  send(message: Uint8Array, own: OwnAddress, to?: Peer): void {
    const now = performance.now()
    if (now - this.#since > period) {
      this.#since = now
      this.#sent = 0
    }
    this.#sent += 1
    if (this.#sent <= mostPerPeriod) this.#send(message, own, to, () => {})
  }

  /** Sends to the group from each address. */
  toAll(message: (own: OwnAddress) => Uint8Array): void {
    for (const { own } of this.#own.values()) this.send(message(own), own)
  }

  /** Closes it, with last words from each address. */
  close(message: (own: OwnAddress) => Uint8Array): void {
    clearInterval(this.#looking)
    if (this.#isBound) this.#all.close()
    this.#isBound = false
    for (const { own, socket } of this.#own.values())
      this.#send(message(own), own, undefined, () => attempt(() => socket.close()))
    this.#own.clear()
  }

  #send(message: Uint8Array, own: OwnAddress, to: Peer | undefined, done: () => void): void {
    const { group, port: usual } = this.#options
    const { address, port } = to ?? { address: this.#isSix ? `${group}%${own.name}` : group, port: usual }
    attempt(() => this.#own.get(own.address)?.socket.send(message, port, address, done))
  }

  #open(address: string, bound: () => void): Socket {
    const socket = createSocket({ type: this.#isSix ? 'udp6' : 'udp4', ipv6Only: this.#isSix, reuseAddr: true })
    const { port, heard } = this.#options
    socket.on('message', (message, from) => {
      const own = this.#towards(from.address)
      if (own !== undefined) heard(message, from, own)
    })
    socket.on('error', (error) => {
      const level = socket === this.#all ? 'warning' : 'debug'
      log[level]('multicast is not received', { address, port, cause: error.message })
      if (this.#own.get(address)?.socket === socket) this.#own.delete(address)
      attempt(() => socket.close())
    })
    socket.bind({ address, port }, bound)
    return socket
  }

  /** The address whose network a peer is in; for one from elsewhere, if it is heard, one that not only its network has. */
  #towards(peer: string): OwnAddress | undefined {
    const bytes = ipBytes(peer) ?? []
    const [, zone] = peer.split('%')
    const isNear = ({ address, netmask, name }: OwnAddress) =>
      (zone ?? name) === name &&
      ipBytes(netmask)?.every((mask, index) => (mask & bytes[index]!) === (mask & ipBytes(address)![index]!))
    const known = this.#present().filter(({ address }) => this.#own.has(address))
    const others = this.#options.isLocal ? [] : known.filter((each) => !each.internal && !each.isLinkLocal)
    return known.find(isNear) ?? others[0]
  }

  /** Has a socket for each address that has come, and none for those that have gone. */
  #look(): void {
    if (!this.#isBound) return
    const present = this.#present()
    for (const [address, { socket }] of this.#own) {
      if (present.some((each) => each.address === address)) continue
      attempt(() => socket.close())
      this.#own.delete(address)
    }
    const { group, ttl, appeared } = this.#options
    for (const own of present) {
      const { address, name } = own
      if (this.#own.has(address)) continue
      const socket = this.#open(address, () => {
        if (this.#own.get(address)?.socket !== socket) return
        attempt(() => socket.setMulticastTTL(ttl))
        attempt(() => this.#all.addMembership(group, this.#isSix ? `::%${name}` : address))
        appeared(own)
      })
      this.#own.set(address, { own, socket })
    }
  }

  /** The addresses of the group's family. */
  #present(): readonly OwnAddress[] {
    return ownAddresses(this.#options.listens).filter(({ address }) => address.includes(':') === this.#isSix)
  }
}

/** An interface may have gone, or know no multicast; so may a socket. */
function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    log.debug('a multicast socket cannot be used', { cause: (error as Error).message })
  }
}
