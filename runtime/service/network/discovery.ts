import type { Board } from '#data/board'
import { discoveryOf, hostNamesOf, type Discovery as Settings } from '#data/ethernet'
import type { Store } from '#runtime/store/store.ts'
import * as mdns from './mdns.ts'
import { Multicast } from './multicast.ts'
import { type OwnAddress, ownAddresses } from './own-addresses.ts'
import * as ssdp from './ssdp.ts'

/** DNS is for the network of a port only (RFC 6762 11). */
const mdnsTtl = 255

/** An answer that many may give waits so long that not all come at once (RFC 6762 6), in milliseconds. */
const shortestWait = 20
const longestWait = 120

/** A first announcement may get lost: there is another one after this time, in milliseconds. */
const again = 1000

interface Dependencies {
  readonly store: Store
  readonly board: Board
  /** The address that the service listens on. */
  readonly listens: string
  /** The port of HTTPS at that time. */
  readonly port: () => number
}

/** Has clients find the service that do not know its address, by SSDP and by multicast DNS, as far as its manager is to. */
export class Discovery {
  readonly #parts: Dependencies
  /** The manager that the service root is of. */
  readonly #manager: string
  readonly #endings: readonly (() => void)[]
  #settings: string | undefined
  #end: (() => void)[] = []

  constructor(parts: Dependencies) {
    this.#parts = parts
    const [manager = ''] = Object.keys(parts.board.managers)
    this.#manager = manager
    this.#endings = [parts.store.on('discovery', () => this.#set()), parts.store.on('httpsPort', () => this.#set())]
    this.#set()
  }

  /** Says good-bye to who has heard of the service. */
  close(): void {
    for (const forget of this.#endings) forget()
    for (const end of this.#end) end()
    this.#end = []
  }

  #set(): void {
    const settings = discoveryOf(this.#parts.store, this.#manager)
    const https = this.#parts.port()
    const text = JSON.stringify([settings, https])
    if (text === this.#settings) return
    this.#settings = text
    for (const end of this.#end) end()
    this.#end = [
      ...(settings.ssdp ? this.#served(ssdp.groups).map((group) => this.#ssdp(group, settings, https)) : []),
      ...(settings.mdns ? this.#served(mdns.groups).map((group) => this.#mdns(group, settings, https)) : [])
    ]
  }

  /** The groups of those families over which the service can be reached. */
  #served(groups: readonly string[]): readonly string[] {
    const { listens } = this.#parts
    return groups.filter((group) => listens === '::' || group.includes(':') === listens.includes(':'))
  }

  get #uuid(): string {
    return this.#parts.board.managers[this.#manager]?.serviceEntryPointUuid ?? ''
  }

  #ssdp(
    group: string,
    { ssdpPort: port, notifyInterval: interval, notifyTtl: ttl }: Settings,
    https: number
  ): () => void {
    const uuid = this.#uuid
    const of = ({ address }: OwnAddress) => ({ uuid, interval, url: `https://${inUri(address)}:${https}/redfish/v1/` })
    const told = (own: OwnAddress, isLeaving: boolean) =>
      ssdp.notification(of(own), `${inUri(group)}:${port}`, isLeaving)
    const alive = (own: OwnAddress) => told(own, false)
    const timers = new Timers()
    const multicast = new Multicast({
      group,
      port,
      listens: this.#parts.listens,
      ttl,
      isLocal: false,
      heard: (message, from, own) => {
        const wait = ssdp.readSearch(message, uuid)
        if (wait !== undefined)
          timers.after(Math.random() * wait * 1000, () => multicast.send(ssdp.answer(of(own)), own, from))
      },
      appeared: (own) => {
        if (interval > 0) multicast.send(alive(own), own)
      }
    })
    if (interval > 0) timers.every(interval * 1000, () => multicast.toAll(alive))
    return () => {
      timers.clear()
      multicast.close((own) => told(own, true))
    }
  }

  #mdns(group: string, { mdnsPort: port }: Settings, https: number): () => void {
    const { store, board, listens } = this.#parts
    const uuid = this.#uuid
    const of = ({ name }: OwnAddress) => {
      const { hostName } = hostNamesOf(store, this.#manager, board.managers[this.#manager]!)
      const addresses = ownAddresses(listens).filter((each) => each.name === name)
      return { uuid, hostName, port: https, addresses: addresses.map(({ address }) => address) }
    }
    const timers = new Timers()
    const multicast = new Multicast({
      group,
      port,
      listens,
      ttl: mdnsTtl,
      isLocal: true,
      heard: (message, from, own) => {
        const query = mdns.readQuery(message)
        const isLegacy = from.port !== port
        const answer = query && mdns.answer(query, of(own), isLegacy)
        if (answer === undefined) return
        const wait = shortestWait + Math.random() * (longestWait - shortestWait)
        const to = isLegacy || !mdns.isForAll(query!) ? from : undefined
        timers.after(wait, () => multicast.send(answer, own, to))
      },
      appeared: (own) => {
        const announce = () => multicast.send(mdns.announcement(of(own), false), own)
        announce()
        timers.after(again, announce)
      }
    })
    return () => {
      timers.clear()
      multicast.close((own) => mdns.announcement(of(own), true))
    }
  }
}

/** An address or group as it stands in a URI: an interface means nothing to others (RFC 6874 1). */
function inUri(address: string): string {
  return address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address
}

/** Answers that may wait at once, and announcements; more questions get none. */
const mostWaiting = 64

/** Work for later. It keeps no process alive. */
class Timers {
  readonly #timers = new Set<NodeJS.Timeout>()

  after(time: number, work: () => void): void {
    if (this.#timers.size >= mostWaiting) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, time)
    timer.unref()
    this.#timers.add(timer)
  }

  every(time: number, work: () => void): void {
    const timer = setInterval(work, time)
    timer.unref()
    this.#timers.add(timer)
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}
