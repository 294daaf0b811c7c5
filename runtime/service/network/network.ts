import { lookup } from 'node:dns'
import type { Board } from '#data/board'
import { hostNamesOf, plainAddress, portSettingsOf } from '#data/ethernet'
import type { HalError } from '#hal/errors.ts'
import type { Port, PortSettings } from '#hal/ports.ts'
import { ipBytes, ipText } from '#runtime/base/ip.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { type Command, type Event, event, merged, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** The most addresses of time servers for the ports: as many as the init process of an image accepts. */
const mostServers = 4

/** How often names are looked up again, all of them and where some had no address, in milliseconds. */
const lookUpEvery = 3_600_000
const lookUpAgain = 60_000

/** The answer to the request that asks for a change is on its way over the old address first, in milliseconds. */
const farewell = 500

interface Dependencies {
  readonly store: Store
  readonly board: Board
  readonly ports: ReadonlyMap<string, Port>
  readonly events: Events
}

interface Interface {
  readonly manager: string
  readonly key: string
  readonly uri: string
  readonly port: Port
  /** Whether it is being configured. */
  isConfiguring?: boolean
  /** The state that was known last, as JSON, if other programs set it up too. */
  known?: string
}

/** A change in force, on trial until an authenticated client reaches the port. */
interface Trial {
  readonly late: NodeJS.Timeout
  /** When it came into force, by the clock of `performance`. */
  readonly began: number
  /** Connections from before the change that have carried a request since. */
  readonly asked: WeakSet<object>
}

/**
 * Sets up the controller's ports as their records say. A change on trial is rolled back if its time expires before a
 * client has reached an address that the port has since. A change still on trial when the service starts is tried anew.
 */
export class Network {
  readonly #parts: Dependencies
  readonly #interfaces: readonly Interface[]
  readonly #turns = new SerialQueue()
  /** By the keys of their interfaces. */
  readonly #trials = new Map<string, Trial>()
  /** Addresses of the names that were looked up. */
  readonly #addresses = new Map<string, readonly string[]>()
  #lookingUp: NodeJS.Timeout | undefined
  /** The ports whose next configuration waits for its turn. */
  readonly #waiting = new Set<string>()
  readonly #closing = new Listeners<void>()
  #closed = false

  constructor(parts: Dependencies) {
    this.#parts = parts
    this.#interfaces = [...parts.ports].map(([key, port]) => {
      const [manager = '', id = ''] = key.split('/')
      const uri = `/redfish/v1/Managers/${manager}/EthernetInterfaces/${id}`
      return { manager, key, uri, port }
    })
  }

  /**
   * Sets up every port that has stored settings. Settles when all are set up or have failed. A port that other programs
   * set up too is left as it is, unless a change is still to be carried out.
   */
  async open(): Promise<void> {
    const { store } = this.#parts
    const isSetUp = ({ manager, key, port }: Interface) =>
      !port.isShared &&
      (store.get('portSettings', key) !== undefined ||
        (['hostNames', 'clock'] as const).some((table) => store.get(table, manager) !== undefined))
    for (const each of this.#interfaces) {
      const { port } = each
      if (!port.isShared) continue
      const look = () => {
        this.#tell(each)
        this.#resume(each)
      }
      port.on(look)
      look()
    }
    const known = this.#interfaces.filter(isSetUp)
    await Promise.all(known.map((each) => this.#turns.run(() => this.#configure(each))))
    void this.#lookUp()
  }

  /** Begins to carry a change out; its failure is an event. */
  async perform({ manager, ethernetInterface }: Command<'configurePorts'>): Promise<void> {
    const isMeant = (each: Interface) =>
      each.manager === manager && (ethernetInterface === undefined || each.key === `${manager}/${ethernetInterface}`)
    for (const each of this.#interfaces.filter(isMeant)) {
      this.#endTrial(each.key)
      void this.#soon(each)
    }
    void this.#turns.run(() => this.#lookUp())
  }

  /**
   * A client who is known asks over this connection. Changes of the port that has its address are kept once the client
   * must have heard of us since: when the connection began after the change, or is asked over again. The first request
   * of an older one may have been on its way already.
   *
   * @param since when the connection was accepted, by the clock of `performance`
   * @returns whether a change is on trial, or about to be, so that the next request is to be seen, too
   */
  reached(connection: { readonly localAddress?: string | undefined } | undefined, since: number): boolean {
    if (this.#parts.store.keys('portTrial').length === 0 || connection?.localAddress === undefined) return false
    const plain = plainAddress(connection.localAddress)
    for (const each of this.#interfaces) {
      const { ipv4, ipv6 } = each.port.state
      const trial = this.#trials.get(each.key)
      if (trial === undefined || ![...ipv4, ...ipv6].some((own) => own.address === plain)) continue
      if (since >= trial.began || trial.asked.has(connection)) {
        this.#endTrial(each.key)
        void this.#commit({ portTrial: { [each.key]: null } }, event('MgmtEvents.NetworkChangeKept', each.uri))
      }
      trial.asked.add(connection)
    }
    return true
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#lookingUp)
    this.#closing.emit()
    for (const key of this.#trials.keys()) this.#endTrial(key)
  }

  /** The servers that know the time, by their addresses where the port needs these, as far as they are known. */
  #timeServers({ manager, port }: Interface): readonly string[] {
    const timeServers = this.#parts.store.get('clock', manager)?.timeServers ?? []
    if (!port.needsAddresses) return timeServers
    const addresses = timeServers.flatMap((each) => {
      const bytes = ipBytes(each)
      return bytes === undefined ? (this.#addresses.get(each) ?? []) : [ipText(bytes)]
    })
    return [...new Set(addresses)].slice(0, mostServers)
  }

  /** Looks names of servers up, and configures the ports whose servers changed. */
  async #lookUp(): Promise<void> {
    const ports = this.#interfaces.filter(({ port }) => port.needsAddresses)
    const before = ports.map((each) => this.#timeServers(each).join())
    const servers = ports.flatMap(({ manager }) => this.#parts.store.get('clock', manager)?.timeServers ?? [])
    const names = [...new Set(servers)].filter((each) => !isAddress(each))
    let lacks = false
    for (const name of names) {
      const found = await addressesOf(name)
      // The one that it had is better than none.
      if (found.length > 0) this.#addresses.set(name, found)
      else lacks = true
    }
    clearTimeout(this.#lookingUp)
    if (this.#closed || names.length === 0) return
    for (const [index, each] of ports.entries()) {
      if (this.#timeServers(each).join() !== before[index]) void this.#turns.run(() => this.#configure(each))
    }
    this.#lookingUp = setTimeout(() => void this.#lookUp(), lacks ? lookUpAgain : lookUpEvery)
    this.#lookingUp.unref()
  }

  /** Configures a port when its turn has come. One that waits for its turn carries out later changes too. */
  async #soon(each: Interface): Promise<void> {
    if (this.#waiting.has(each.key)) return
    this.#waiting.add(each.key)
    await this.#turns.run(async () => {
      this.#waiting.delete(each.key)
      if (!this.#closed) await sleep(farewell, this.#closing)
      if (!this.#closed) await this.#configure(each)
    })
  }

  /** Tells what has changed of a port that other programs set up too. */
  #tell(each: Interface): void {
    if (each.port.state.settings === undefined || each.isConfiguring) return
    const [before, now] = [each.known, JSON.stringify(each.port.state)]
    each.known = now
    if (before !== undefined && before !== now)
      void this.#parts.events.emit(event('ResourceEvent.ResourceChanged', each.uri))
  }

  /** Carries out what waits since the last process, or since the program that stores the settings of a port went away. */
  #resume(each: Interface): void {
    const { key, port } = each
    if (port.state.settings === undefined || each.isConfiguring) return
    const { store } = this.#parts
    const isUntried = store.get('portTrial', key) !== undefined && !this.#trials.has(key)
    if (store.get('portSettings', key) !== undefined || isUntried) void this.#soon(each)
  }

  async #configure(each: Interface): Promise<void> {
    const { store } = this.#parts
    const { key, port, uri } = each
    const [wanted, settings] = [store.get('portSettings', key), portSettingsOf(store, key, port.state)]
    if (settings === undefined) return
    // Nothing is kept of what is carried out by a port that stores it itself.
    const done = () =>
      port.isShared && store.get('portSettings', key) === wanted ? { portSettings: { [key]: null } } : {}
    try {
      if (!port.isShared || wanted !== undefined) await this.#carryOut(each, settings)
    } catch (error) {
      // The next process sets it up.
      if (this.#closed) return
      const { message: cause, code } = error as HalError
      this.#parts.store.log.error('a network interface was not set up', { key, cause })
      // It is carried out when the program that does it is back, which may be the case already.
      if (port.isShared && code === 'ENODEV') return this.#resume(each)
      await this.#commit(done, event('MgmtEvents.NetworkChangeFailed', uri, cause))
      await this.#rollBack(each)
      return
    }
    if (this.#closed) return
    await this.#commit(done)
    this.#endTrial(key)
    const trial = store.get('portTrial', key)
    if (trial !== undefined && !this.#closed) {
      const over = () => this.#turns.run(() => (this.#trials.delete(key) ? this.#rollBack(each) : undefined))
      const late = setTimeout(() => void over(), trial.seconds * 1000)
      this.#trials.set(key, { late, began: performance.now(), asked: new WeakSet() })
    }
    if (port.isShared) this.#tell(each)
  }

  async #carryOut(each: Interface, settings: PortSettings): Promise<void> {
    const { store, board } = this.#parts
    const { manager, port } = each
    const names = hostNamesOf(store, manager, board.managers[manager]!)
    const ntp = store.get('clock', manager)?.ntp ?? true
    each.isConfiguring = true
    try {
      await port.configure(settings, { ...names, ntp, timeServers: this.#timeServers(each) })
    } finally {
      each.isConfiguring = false
    }
  }

  /** Goes back to the settings before a change that is on trial. */
  async #rollBack(each: Interface): Promise<void> {
    const { key, uri } = each
    const trial = this.#parts.store.get('portTrial', key)
    if (trial === undefined) return
    this.#parts.store.log.warning('a change of a network interface is rolled back', { key })
    const back = event('MgmtEvents.NetworkChangeTakenBack', uri, String(trial.seconds))
    const before = { portSettings: { [key]: trial.before }, portTrial: { [key]: null } }
    await this.#commit(before, back, event('ResourceEvent.ResourceChanged', uri))
    await this.#configure(each)
  }

  #endTrial(key: string): void {
    clearTimeout(this.#trials.get(key)?.late)
    this.#trials.delete(key)
  }

  async #commit(writes: Writes | (() => Writes), ...told: readonly Event[]): Promise<void> {
    try {
      await this.#parts.store.commit(() =>
        merged(typeof writes === 'function' ? writes() : writes, this.#parts.events.writes(told))
      )
    } catch (error) {
      this.#parts.store.log.error('a network change was not stored', { cause: (error as Error).message })
    }
  }
}

const isAddress = (server: string) => ipBytes(server) !== undefined

/** Empty without any, or if unknown. */
function addressesOf(name: string): Promise<string[]> {
  return new Promise((resolve) => {
    lookup(name, { all: true }, (error, addresses) => resolve(error ? [] : addresses.map(({ address }) => address)))
  })
}
