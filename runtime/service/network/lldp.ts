import { type Board, entry } from '#data/board'
import { lldpEnabled, lldpInformation, lldpTimes } from '#data/ethernet'
import { lldpFrame, readLldpFrame } from '#hal/lldp/frame.ts'
import type { LldpInformation, LldpLink, Port } from '#hal/ports.ts'
import type { Members, Reader } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'

const pathOf = (key: string) => `lldpNeighbour/${key}`

/** Sends and receives LLDP at the controller's ports for which clients have enabled it (IEEE 802.1AB). */
export class Lldp {
  /** By `<manager>/<interface>`. */
  readonly #agents: ReadonlyMap<string, Agent>
  readonly #forget: () => void

  constructor(store: Store, board: Board, ports: ReadonlyMap<string, Port>) {
    this.#agents = new Map(
      [...ports].flatMap(([key, port]) => (port.openLldp ? [[key, new Agent(store, board, key, port)] as const] : []))
    )
    this.#forget = store.on('lldp', (key) => this.#agents.get(key)?.set())
    for (const agent of this.#agents.values()) agent.set()
  }

  members(reader: Reader): Members<'lldpNeighbour'> {
    return {
      lldpNeighbour: (manager, ethernetInterface) => {
        const key = `${manager}/${ethernetInterface}`
        const agent = this.#agents.get(key)
        if (agent !== undefined) reader.track(pathOf(key))
        return agent?.neighbour
      }
    }
  }

  close(): void {
    this.#forget()
    for (const agent of this.#agents.values()) agent.close()
  }
}

/** One port. */
class Agent {
  readonly #store: Store
  readonly #board: Board
  readonly #key: string
  readonly #port: Port
  readonly #stop: () => void
  #link: LldpLink | undefined
  #sending: ReturnType<typeof setInterval> | undefined
  /** The last frame that was sent, without its time to live: a change is told at once. */
  #told = ''
  #neighbour: { readonly information: LldpInformation; readonly late: ReturnType<typeof setTimeout> } | undefined

  constructor(store: Store, board: Board, key: string, port: Port) {
    this.#store = store
    this.#board = board
    this.#key = key
    this.#port = port
    store.revisions.device(pathOf(key))
    this.#stop = port.on(() => this.#changed())
  }

  get neighbour(): LldpInformation | undefined {
    return this.#neighbour?.information
  }

  /** Starts or stops, as the record says. */
  set(): void {
    const [manager = '', id = ''] = this.#key.split('/')
    const isWanted = lldpEnabled(this.#store, manager, id)
    if (isWanted === (this.#link !== undefined)) return
    if (isWanted) this.#start()
    else this.#end()
  }

  close(): void {
    this.#stop()
    this.#end()
  }

  #start(): void {
    try {
      this.#link = this.#port.openLldp?.((frame) => this.#received(frame))
    } catch (error) {
      this.#store.log.error('LLDP was not started', { port: this.#key, cause: (error as Error).message })
      return
    }
    this.#send(lldpTimes.valid)
    this.#sending = setInterval(() => this.#send(lldpTimes.valid), lldpTimes.interval * 1000)
    this.#sending.unref()
  }

  /** The neighbour learns that what it has heard is no longer valid. */
  #end(): void {
    if (this.#link === undefined) return
    clearInterval(this.#sending)
    this.#send(0)
    this.#link.close()
    this.#link = undefined
    this.#told = ''
    this.#becomes(undefined)
  }

  #changed(): void {
    if (!this.#port.state.linkUp) {
      this.#becomes(undefined)
      // The next neighbour may be another one.
      this.#told = ''
    }
    if (this.#link !== undefined && JSON.stringify(this.#information()) !== this.#told) this.#send(lldpTimes.valid)
  }

  #information(): LldpInformation | undefined {
    const [id = '', ethernetInterface = ''] = this.#key.split('/')
    const manager = entry(this.#board.managers, id)
    const found = manager && entry(manager.ethernetInterfaces, ethernetInterface)
    return found && lldpInformation(this.#store, id, manager, found.name, this.#port.state)
  }

  #send(ttl: number): void {
    const information = this.#information()
    if (information === undefined || !this.#port.state.linkUp) return
    this.#told = JSON.stringify(information)
    try {
      this.#link?.send(lldpFrame(this.#port.state.mac, { ...information, ttl }))
    } catch (error) {
      this.#store.log.warning('LLDP was not sent', { port: this.#key, cause: (error as Error).message })
    }
  }

  #received(frame: Uint8Array): void {
    const information = readLldpFrame(frame)
    if (information === undefined) this.#store.log.debug('a frame of LLDP was discarded', { port: this.#key })
    else this.#becomes(information.ttl === 0 ? undefined : information)
  }

  /** The last neighbour that was heard counts: at the end of a cable there is one. */
  #becomes(information: LldpInformation | undefined): void {
    const before = JSON.stringify(this.neighbour)
    clearTimeout(this.#neighbour?.late)
    this.#neighbour = undefined
    if (information !== undefined) {
      const late = setTimeout(() => this.#becomes(undefined), information.ttl * 1000)
      late.unref()
      this.#neighbour = { information, late }
    }
    if (JSON.stringify(information) !== before) this.#store.revisions.moved(pathOf(this.#key))
  }
}
