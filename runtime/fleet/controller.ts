import type { Board } from '#data/board'
import { type DeviceOptions, deviceKinds, type Group, type InRack } from '#data/fleet'
import type { Keeper } from '#hal/memory.ts'
import type { Port } from '#hal/ports.ts'
import { Log, log } from '#runtime/base/log.ts'
import type { Keep } from '#runtime/base/opening.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { event, merged } from '#runtime/contract'
import type { Place, ServiceOptions } from '#runtime/open/options.ts'
import { openService, type Service } from '#runtime/open/service.ts'
import type { SharedDatabase } from '#runtime/store/shared.ts'
import { Store } from '#runtime/store/store.ts'
import { type Boards, overlaid, setFaults } from './boards.ts'
import type { Faults } from './faults.ts'
import { type Seen, seenOf, withoutPower } from './seen.ts'
import type { FleetTime } from './time.ts'

/** The parts of a service that all controllers of a fleet share. */
export interface Common extends Omit<ServiceOptions, 'board' | 'place'> {
  readonly database: SharedDatabase
  readonly openSecrets: Place['openSecrets']
  /** @param keep takes note of what is open */
  readonly openIdentity: (controller: Controller, keep: Keep) => ReturnType<Place['openIdentity']>
  /** The time by which it is away while it restarts. */
  readonly time: FleetTime
  /** Called with each opened service, which answers once it has settled. */
  readonly opened: (controller: Controller, service: Service) => Promise<void>
  /** Called when its summary may be another one; not for what changes in its service. */
  readonly changed: (controller: Controller) => void
}

/** The parts of one controller that no other has. */
export interface ControllerOptions {
  /** The name of its group. */
  readonly group: string
  readonly boards: Boards
  /** Its address, if it has one of its own. */
  readonly address: string | undefined
  /** The address that it was given in place of that while it ran, as by a DHCP server. */
  readonly leased: string | undefined
  /** The board with the controller's identity. */
  readonly identified: (board: Board, leased: string | undefined) => Board
  /** Faults of requests to it. */
  readonly faults: Faults
  /** Options of its devices. */
  readonly devices: DeviceOptions
  /** For how long it is away when it restarts. */
  readonly absence: Absence
  readonly place: InRack | undefined
}

/** In seconds. */
type Absence = NonNullable<Group['absence']>

/** Characters of the newest lines of its log that a controller keeps. */
const recentLog = 4096

/** A controller must not have been asked for so long, in milliseconds, to be put aside: a request has less time. */
const shortest = 20_000

/** One of many controllers. The first request opens its service, which continues from its saved state. */
export class Controller {
  readonly number: number
  /** The name of its group. */
  readonly group: string
  /** Faults of requests to it. */
  readonly faults: Faults
  readonly place: InRack | undefined
  readonly #common: Common
  readonly #own: ControllerOptions
  #devices: DeviceOptions
  #leased: string | undefined
  #service: Service | undefined
  /** As it was when its service was closed. */
  #seen: Seen = {}
  #opening: Promise<Service> | undefined
  #closing: Promise<void> = Promise.resolve()
  /** Its controller starts anew when it is opened next. */
  #rebooted = false
  /** While it reboots: has it come back. */
  #return: (() => void) | undefined
  #supplied = true
  /** Settles when its service is open or closed as its supply has it. */
  #switching: Promise<void> | undefined
  /** Its supply was interrupted since its service was closed. */
  #supplyFailed = false
  /** Of its service root, once it has a listener. */
  url = ''
  /** When it was asked last, by the clock that never leaps. */
  askedAt = Number.NEGATIVE_INFINITY
  /** Its present work for clients: changes, streams. */
  busy = 0
  /** Its answers to changes that are being made: a restart that one of them asks for comes after them. */
  readonly answering = new Set<Promise<unknown>>()
  /** The last state of a device that is on its way to the disk. */
  #kept: Promise<void> = Promise.resolve()

  constructor(number: number, common: Common, own: ControllerOptions) {
    this.number = number
    this.group = own.group
    this.#common = common
    this.#own = own
    this.#devices = own.devices
    this.#leased = own.leased
    this.faults = own.faults
    this.place = own.place
  }

  /** Faults of its devices, by their kind. */
  get deviceFaults(): DeviceOptions {
    return faultsIn(this.#devices)
  }

  /** All faults of its devices, with these among them. @throws RangeError for those that its devices do not have */
  deviceFaultsWith(given: DeviceOptions): DeviceOptions {
    return faultsIn(this.#devicesWith(given))
  }

  /**
   * Sets other faults, of the kinds that are named. Settles when they have taken effect and the states of the devices
   * with them are durable. @throws RangeError for those that its devices do not have
   */
  async setDeviceFaults(given: DeviceOptions): Promise<void> {
    this.#devices = this.#devicesWith(given)
    if (this.#service === undefined) return
    await setFaults(this.#service.devices, given)
    await this.#kept
  }

  /** Its address, if it has one of its own. */
  get address(): string | undefined {
    return this.#leased ?? this.#own.address
  }

  /**
   * Gives it another address, as a DHCP server does, in place of all that it has. Settles when its network interfaces have
   * it and events are durable.
   */
  async lease(address: string): Promise<void> {
    this.#leased = address
    // Addresses that a client has set are in its store.
    if (this.#service === undefined && !this.isAway) await this.#revive()
    if (this.#service === undefined) return
    const { devices, events, store } = this.#service
    const ports = [...devices.ports].flatMap(([key, port]) => (takesLeases(port) ? [{ key, port }] : []))
    for (const { port } of ports) port.renew(address)
    const changed = ports.map(({ key }) => {
      const [manager, id] = key.split('/')
      return event('ResourceEvent.ResourceChanged', `/redfish/v1/Managers/${manager}/EthernetInterfaces/${id}`)
    })
    await store.commit(() => {
      const set = ports.filter(({ key }) => store.get('portSettings', key) !== undefined)
      const settings = Object.fromEntries(set.map(({ key, port }) => [key, port.state.settings!]))
      const trials = Object.fromEntries(ports.map(({ key }) => [key, null]))
      return merged({ portSettings: settings, portTrial: trials }, events.writes(changed))
    })
  }

  /** The state of its machine, now or as it was when its service was closed. It does not change in between. */
  get seen(): Seen {
    if (!this.#supplied) return withoutPower(this.#seen)
    return this.#service === undefined ? this.#seen : seenOf(this.#service)
  }

  /** Its name in the list of all. */
  identity() {
    const { systems, managers } = this.#board()
    const [system] = Object.values(systems)
    const [manager] = Object.values(managers)
    const [port] = Object.values(manager?.ethernetInterfaces ?? {})
    const mac = port?.port.mac as string | undefined
    return { uuid: system?.uuid, serialNumber: system?.serialNumber, hostName: manager?.hostName, mac }
  }

  /** Whether it has a machine that may run while its service is closed. */
  get hasVirtualMachine(): boolean {
    return this.#own.boards.areVirtual
  }

  /** Its service, while that is open. */
  get service(): Service | undefined {
    return this.#service
  }

  /** Whether it reboots or has no power, and does not answer. */
  get isAway(): boolean {
    return this.#return !== undefined || !this.#supplied
  }

  get supplied(): boolean {
    return this.#supplied
  }

  /** Takes the power from the whole machine, or gives it back. A machine that was opened before starts anew then. */
  supply(supplied: boolean): void {
    if (supplied === this.#supplied) return
    this.#supplied = supplied
    this.#supplyFailed = true
    this.#rebooted = true
    const switching = this.#opened()
      .then(() => (supplied ? this.#revive() : this.#putAside()))
      .finally(() => {
        if (this.#switching === switching) this.#switching = undefined
      })
    this.#switching = switching
    this.#common.changed(this)
  }

  /** Goes offline for `time` milliseconds of the fleet's time, then starts anew, even without a request. */
  reboot(time: number): void {
    if (this.isAway) return
    const { time: fleetTime } = this.#common
    this.#return = fleetTime.at(fleetTime.now() + time, () => {
      this.#return = undefined
      return this.#startAnew()
    })
    void this.#opened().then(() => this.#putAside())
    this.#common.changed(this)
  }

  /** Its service, opened if it is not open. @throws what it cannot be opened for, or that it reboots */
  open(): Promise<Service> {
    if (this.isAway) return Promise.reject(new Error(this.#supplied ? 'it reboots' : 'it has no power'))
    if (this.#service !== undefined) return Promise.resolve(this.#service)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Settles when the states of its devices are durable. */
  kept(): Promise<void> {
    return this.#kept
  }

  /** Whether it has no work in progress without a request. */
  isQuiet(now: number): boolean {
    const service = this.#service
    if (service === undefined || this.busy > 0 || now - this.askedAt < shortest) return false
    const { store, hardware } = service
    const isUnderWay = (id: string) => ['Running', 'Pending'].includes(store.get('task', id)?.state ?? '')
    return (
      store.keys('subscription').length === 0 &&
      store.keys('metricReportDefinition').length === 0 &&
      !store.keys('task').some(isUnderWay) &&
      Object.entries(hardware.board.systems).every(
        // A virtual machine that is on changes without a request.
        ([id, { power }]) => hardware.isSettled(id) && (power.type === 'sim' || hardware.power(id) === 'Off')
      )
    )
  }

  /** Closes its service. The next request opens a new one. */
  close(): Promise<void> {
    this.#return?.()
    this.#return = undefined
    return this.#switching?.then(() => this.#putAside()) ?? this.#putAside()
  }

  #putAside(): Promise<void> {
    const service = this.#service
    if (service === undefined) return this.#closing
    this.#seen = seenOf(service)
    this.#service = undefined
    this.#common.changed(this)
    this.#closing = service
      .close()
      .then(() => this.#kept)
      .catch((error: Error) => log.error('a controller was not closed', { number: this.number, cause: error.message }))
    return this.#closing
  }

  async #open(): Promise<Service> {
    await this.#closing
    const { database, opened, openSecrets, openIdentity, configuration, time: _, ...parts } = this.#common
    const name = String(this.number)
    const entries = await database.entries(name)
    const devices = `${name}/machine`
    const states = new Map(await database.entries(devices))
    const keeper: Keeper = {
      get: (key) => states.get(key),
      set: (key, value) => {
        this.#kept = database.write(devices, [{ key, value }]).catch((error: Error) => {
          log.warning('the state of a device was not stored', { number: this.number, cause: error.message })
        })
      }
    }
    const place: Place = {
      openStore: () => Store.on(database.part(name), { entries }, new Log(recentLog, { controller: this.number }, log)),
      openSecrets,
      openIdentity: (_secrets, _isExpected, keep) => openIdentity(this, keep),
      keeper,
      resumed: entries.length > 0 && !this.#rebooted,
      supplyFailed: entries.length > 0 && this.#supplyFailed
    }
    this.#supplyFailed = false
    const data = `${configuration.data}/controllers/${name}`
    const board = this.#board()
    const service = await openService({ ...parts, configuration: { ...configuration, data }, board, place })
    states.clear()
    this.#rebooted = false
    this.#service = service
    void service.restarted.then(() => {
      if (this.#service === service) void this.#restart(service.wasAskedToReset())
    })
    await opened(this, service)
    return service
  }

  #devicesWith(given: DeviceOptions): DeviceOptions {
    const devices = overlaid(this.#devices, given)
    const fault = this.#own.boards.fault(devices)
    if (fault !== undefined) throw new RangeError(fault)
    return devices
  }

  /** Made anew each time: few controllers are open. */
  #board(): Board {
    const { boards, identified } = this.#own
    return identified(boards.with(this.#devices), this.#leased)
  }

  async #restart(isReset: boolean): Promise<void> {
    const { reset = 0, update = 0 } = this.#own.absence
    const time = (isReset ? reset : update) * 1000
    if (time === 0) return this.#startAnew()
    // Who asked for it gets an answer first.
    await Promise.allSettled(this.answering)
    await sleep(0)
    this.reboot(time)
  }

  /** Settles when it is not being opened. */
  async #opened(): Promise<void> {
    await this.#opening?.catch(() => undefined)
  }

  /** Opens a controller that was open before. One that never was stays as it is. */
  async #revive(): Promise<void> {
    if (await this.#common.database.has(String(this.number), '')) await this.#openAnew()
  }

  async #startAnew(): Promise<void> {
    await this.#opened()
    if (!this.#supplied) return
    this.#rebooted = true
    await this.#putAside()
    await this.#openAnew()
  }

  async #openAnew(): Promise<void> {
    await this.open().catch((error: Error) => {
      log.error('a controller was not opened', { number: this.number, cause: error.message })
    })
  }
}

const takesLeases = (port: Port): port is Port & { renew(address: string): void } => 'renew' in port

/** The faults among options of devices. */
function faultsIn(devices: DeviceOptions): DeviceOptions {
  const faulty = deviceKinds.filter((kind) => devices[kind]?.faults !== undefined)
  return Object.fromEntries(faulty.map((kind) => [kind, { faults: devices[kind]!.faults }]))
}
