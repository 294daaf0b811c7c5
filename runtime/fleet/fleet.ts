import type { Board } from '#data/board'
import { SettingsError } from '#data/configuration'
import {
  type DeviceOptions,
  type EquipmentKind,
  type FaultRule,
  type FleetDescription,
  groupOf,
  inRack
} from '#data/fleet'
import type { Certs } from '#hal/certs.ts'
import type { Clock } from '#hal/clock.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { log } from '#runtime/base/log.ts'
import { type Keep, opening } from '#runtime/base/opening.ts'
import { machineOf, readBoard, readBoardFile } from '#runtime/command/board-file.ts'
import type { Host } from '#runtime/open/options.ts'
import { fingerprint } from '#runtime/open/protocol.ts'
import type { Service } from '#runtime/open/service.ts'
import { generatePassword } from '#runtime/service/accounts/administrator.ts'
import { slowHash } from '#runtime/service/accounts/passwords.ts'
import { Identity } from '#runtime/service/certificates/identity.ts'
import { Semaphore } from '#runtime/service/events/semaphore.ts'
import { keepAttributeRegistries } from '#runtime/service/machine/attribute-registry.ts'
import { startsPrograms } from '#runtime/service/machine/devices.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { SharedDatabase } from '#runtime/store/shared.ts'
import { Boards, overlaid } from './boards.ts'
import { DatabaseCerts } from './certs.ts'
import { type Common, Controller } from './controller.ts'
import { resourcesOf } from './equipment.ts'
import { Faults } from './faults.ts'
import { addressesEach, boardOf, hostNameOf, type Kind, kindOf, lastWithAddresses } from './identity.ts'
import { addressOf, type Reach } from './plan.ts'
import { Racks } from './racks.ts'
import { FleetTime } from './time.ts'

/** How often controllers with which nothing happens are looked for, in milliseconds. */
const tidyEvery = 5000

/** The name of the part of the database that is the fleet's own. */
export const ownPart = 'fleet'

/** The key in it of how far the scenario is. */
export const scenarioKey = 'scenario'

/** The key in it of the rules of a controller that were set while it ran. */
export const faultsKey = (number: number) => `faults/${number}`

/** The key in it of the outlets of a power shelf that are off. */
const outletsKey = (number: number) => `outlets/${number}`

/** The key in it of the faults of its devices. */
export const devicesKey = (number: number) => `devices/${number}`

export interface FleetOptions extends Host {
  readonly description: FleetDescription
  readonly reaches: readonly Reach[]
  readonly adminPassword: string | undefined
  readonly clock: Clock
}

export type Fleet = Awaited<ReturnType<typeof openFleet>>

/**
 * Opens the state of a fleet. Its controllers are opened when they are asked.
 *
 * @throws StoreError, SettingsError; nothing stays open then
 */
export function openFleet({ description, reaches, ...parts }: FleetOptions) {
  return opening(async (keep) => {
    const { configuration } = description
    const data = description.data
    const known = new Map<string, ReturnType<typeof readBoardFile>>()
    const read = (name: string) => {
      const machine = known.get(name) ?? readBoardFile(name, parts)
      known.set(name, machine)
      return machine
    }
    const machines = await Promise.all(
      reaches.map(async (reach) => {
        const { board, ...recording } = await machineIn(reach, reaches, read, parts).catch((error: Error) => {
          throw new SettingsError(`${reach.path}.board: ${error.message}`)
        })
        keepAttributeRegistries(recording.documents)
        return { reach, recording, kind: kindOf(board, reach.group, recording.recorded) }
      })
    )
    const programs = machines.some(({ kind, recording }) => startsPrograms(kind.board, recording.backends))
    const unconfined = parts.confine?.(programs)
    if (unconfined !== undefined) log.warning('the kernel does not filter system calls', { error: unconfined })
    const database = keep(await SharedDatabase.open(`${data}/store`, configuration.store))
    const own = new Map(await database.entries(ownPart))
    const secrets = Secrets.open(`${data}/keys`, own.has('format'))
    const certs = keep(parts.openCerts(`${data}/tls`))
    const identity = await Identity.open(certs, secrets, new Date(parts.clock.now()), own.has('format'))

    const kept = secrets.open(own.get('password') ?? '')
    const generated = parts.adminPassword === undefined && kept === undefined ? generatePassword() : undefined
    const adminPassword = parts.adminPassword ?? kept ?? generated!
    await database.write(ownPart, [
      { key: 'format', value: '1' },
      { key: 'password', value: secrets.seal(adminPassword) }
    ])

    const time = keep(new FleetTime(description.speed))
    const roster = keep(new Roster(description, parts.clock))
    let racks: Racks | undefined
    const common: Omit<Common, 'backends'> = {
      ...parts,
      // Its controllers have one listener, which a client of one of them does not move.
      configuration: { ...configuration, data, portIsFixed: true },
      adminPassword,
      adminHash: await slowHash(adminPassword, configuration.password.iterations),
      semaphore: new Semaphore(configuration.events.deliveries),
      database,
      time,
      openSecrets: () => secrets,
      openIdentity: async (_controller, keep) => ({ certs: keep(new SharedCerts(certs)), identity }),
      opened: async (controller, service) => {
        roster.opened(controller, service)
        await racks?.opened(controller, service)
      },
      changed: (controller) => roster.changed(controller)
    }
    const addresses = addressesEach(machines.map(({ kind }) => kind))
    for (const { reach, recording, kind } of machines) {
      const last = reach.first + reach.group.count - 1
      if (last > lastWithAddresses(addresses))
        throw new SettingsError(
          `${reach.path}: ${addresses} MAC addresses each are too many for a controller with the number ${last}`
        )
      const { certificates, domain } = reach.group
      const openIdentity = async (controller: Controller, keep: Keep) => {
        const certs = keep(await DatabaseCerts.open(database, `${controller.number}/tls`))
        const names = () => ({ dns: [`${controller.identity().hostName}.${domain}`], ip: [] })
        return { certs, identity: await Identity.open(certs, secrets, new Date(parts.clock.now()), false, names) }
      }
      const its = {
        ...{ ...common, ...recording, ...(certificates === 'own' && { openIdentity }) },
        fingerprint: fingerprint(
          ...[parts.version, kind.board, configuration, description.seed],
          ...[description.controllers, { ...reach.group, count: 0 }]
        )
      }
      const boards = new Boards(reach, kind.board, recording.backends)
      roster.add(reach, its, { kind, addresses, boards, neighbour: (number) => racks?.portOf(number) }, own)
    }
    if (reaches.some(({ group }) => group.place !== undefined)) {
      const boards = machines.map(({ reach, kind }) => ({ reach, board: kind.board }))
      const { interval } = configuration.sensors
      const outlets = (shelf: number) => JSON.parse(own.get(outletsKey(shelf)) ?? '[]')
      const keepOutlets = (shelf: number, off: readonly number[]) =>
        database.write(ownPart, [{ key: outletsKey(shelf), value: JSON.stringify(off) }])
      racks = keep(new Racks(boards, { roster, interval, outlets, keepOutlets }))
    }
    // A worker does not know the names of the others' controllers.
    if (description.workers === 1)
      for (const name of roster.unknown) log.warning('the file names an unknown controller', { name })
    return {
      ...{ database, identity, roster, time, adminPassword },
      documents: parts.documents,
      generatedPassword: generated
    }
  })
}

/** The machine of a group. @throws SettingsError */
async function machineIn(
  { group }: Reach,
  reaches: readonly Reach[],
  read: (board: string) => ReturnType<typeof readBoardFile>,
  host: Host
) {
  const { kind, racks } = group.place ?? { kind: 'Server', racks: [] }
  if (kind === 'Server') return read(group.board ?? 'sim')
  const beside = reaches.flatMap(({ group: other }) => (other.place?.racks === racks ? [other.place] : []))
  const count = (wanted: (kind: EquipmentKind) => boolean) =>
    beside.filter((other) => wanted(other.kind)).reduce((sum, other) => sum + other.each, 0)
  const size = { servers: count((other) => other === 'Server'), others: count((other) => other !== 'Switch') }
  const made = await host.recordings?.()
  if (made === undefined) throw new SettingsError('this program has no recordings, of which racks are made')
  const resources = resourcesOf(kind, size)
  return machineOf(kind, made.equipment(kind, resources, readBoard('sim', host.documents)) as Board, host)
}

/** The machine of the controllers of a group, and the port that each is connected to, if it is one of a rack. */
interface Machine {
  readonly kind: Kind
  readonly addresses: number
  readonly boards: Boards
  readonly neighbour: (number: number) => ReturnType<Racks['portOf']>
}

/** How many controllers a group has, and how many of them are open. */
export interface GroupSize {
  readonly controllers: number
  readonly open: number
}

/** All controllers, and which of them are open, the one that was asked longest ago first. */
export class Roster {
  readonly #description: FleetDescription
  readonly #clock: Clock
  readonly #all: Controller[] = []
  /** The number of controllers of each group. */
  readonly #sizes = new Map<string, number>()
  readonly #open = new Set<Controller>()
  readonly #moved = new Listeners<string>()
  readonly #opened = new Listeners<Service>()
  readonly #changed = new Listeners<Controller>()
  readonly #timer: ReturnType<typeof setInterval>
  #newest: Controller | undefined
  /** Controllers that the file names, and that are not there. */
  readonly unknown: Set<string>

  constructor(description: FleetDescription, clock: Clock) {
    this.#description = description
    this.#clock = clock
    this.unknown = new Set(Object.keys(description.controllers))
    this.#timer = setInterval(() => this.tidy(), tidyEvery)
    this.#timer.unref()
  }

  /** The time of day, in milliseconds since 1970. */
  now(): number {
    return this.#clock.now()
  }

  get open(): number {
    return this.#open.size
  }

  /** How many controllers each group has, by its name, and how many of them are open. */
  groups(): ReadonlyMap<string, GroupSize> {
    const groups = new Map([...this.#sizes].map(([name, controllers]) => [name, { controllers, open: 0 }]))
    for (const { group } of this.#open) groups.get(group)!.open += 1
    return groups
  }

  /**
   * @param own entries of the fleet: faults that were set while it ran
   * @throws SettingsError for options that the devices of a controller do not take
   */
  add(
    reach: Reach,
    parts: Common,
    { kind, addresses, boards, neighbour }: Machine,
    own: ReadonlyMap<string, string>
  ): void {
    const { group, first, name } = reach
    this.#sizes.set(name, (this.#sizes.get(name) ?? 0) + group.count)
    const absence = group.absence ?? {}
    const { seed } = this.#description
    const common = boards.with(boards.options())
    const set = <T>(key: string) => (own.has(key) ? (JSON.parse(own.get(key)!) as T) : undefined)
    for (let index = 0; index < group.count; index += 1) {
      const number = first + index
      const hasOwn = reach.network !== undefined || group.listed?.[index]?.address !== undefined
      const address = hasOwn ? addressOf(reach, index) : undefined
      const individual = this.#individual(number, hostNameOf(common, groupOf(group, index), number))
      const fault = individual.devices && boards.fault(boards.options(individual.devices))
      if (fault !== undefined) throw new SettingsError(`controllers.${number}: ${fault}`)
      const rules = set<readonly FaultRule[]>(faultsKey(number))
      const controller = new Controller(number, parts, {
        group: name,
        boards,
        identified: (board) =>
          boardOf(
            { ...kind, board, group: groupOf(group, index) },
            { seed, number, addresses, address, neighbour: neighbour(number) }
          ),
        faults: new Faults(seed, number, rules ?? [...(group.faults ?? []), ...(individual.faults ?? [])]),
        devices: boards.options(overlaid(individual.devices ?? {}, set<DeviceOptions>(devicesKey(number)) ?? {})),
        absence: individual.absence === undefined ? absence : { ...absence, ...individual.absence },
        place: inRack(group, index)
      })
      this.#all.push(controller)
    }
  }

  /** The file's options of one controller. */
  #individual(number: number, name: string) {
    const { controllers } = this.#description
    const key = [String(number), name].find((each) => this.unknown.delete(each))
    return key === undefined ? {} : controllers[key]!
  }

  get(number: number): Controller | undefined {
    return this.#all[number - (this.#all[0]?.number ?? 1)]
  }

  /** How many systems of open controllers are in each state of power. */
  powerStates(): ReadonlyMap<string, number> {
    const states = new Map<string, number>()
    for (const { service } of this.#open) {
      for (const system of Object.keys(service?.hardware.board.systems ?? {})) {
        const state = service!.hardware.power(system)
        if (state !== undefined) states.set(state, (states.get(state) ?? 0) + 1)
      }
    }
    return states
  }

  [Symbol.iterator](): Iterator<Controller> {
    return this.#all[Symbol.iterator]()
  }

  /** Takes note of a request to a controller. */
  asked(controller: Controller): void {
    controller.askedAt = this.#clock.elapsed()
    if (controller === this.#newest || !this.#open.delete(controller)) return
    this.#open.add(controller)
    this.#newest = controller
  }

  /** Calls `listener` with each service that is opened from now on. */
  onOpened(listener: (service: Service) => void): () => void {
    return this.#opened.add(listener)
  }

  opened(controller: Controller, service: Service): void {
    this.#open.add(controller)
    this.#newest = controller
    this.#opened.emit(service)
    service.store.revisions.onMoved((path) => {
      this.#moved.emit(path)
      if (isSummarized(path)) this.changed(controller)
    })
    this.moved()
    this.changed(controller)
  }

  /** Calls `listener` with each controller whose summary may be another one; the function returned ends that. */
  onChanged(listener: (controller: Controller) => void): () => void {
    return this.#changed.add(listener)
  }

  changed(controller: Controller): void {
    this.#changed.emit(controller)
  }

  /** Answers from before are not to be given again: they are of other revisions, or faults have changed. */
  moved(): void {
    this.#moved.emit('')
  }

  /** Whatever moves makes all callers unknown: no revision has to tell them apart. */
  of(): number {
    return 0
  }

  /** Calls back with each path that moves in any of the controllers. */
  onMoved(listener: (path: string) => void): () => void {
    return this.#moved.add(listener)
  }

  /** Puts controllers aside with which nothing has happened for a while, or earlier where too many are open. */
  tidy(): void {
    const { idle, open: most } = this.#description
    const now = this.#clock.elapsed()
    let left = this.open
    for (const controller of this.#open) {
      if (left <= most && now - controller.askedAt < idle * 1000) return
      if (!controller.isQuiet(now)) continue
      left -= 1
      this.#open.delete(controller)
      void controller.close()
    }
  }

  /**
   * Opens, one after another, the controllers that have something to do without being asked: to tell subscribers, or to
   * follow a virtual machine that runs.
   */
  async wake(database: SharedDatabase, stopped: Promise<void>): Promise<void> {
    let isOver = false
    void stopped.then(() => {
      isOver = true
    })
    for (const controller of this.#all) {
      if (isOver) return
      if (controller.isAway) continue
      const reason = controller.hasVirtualMachine ? '' : 'subscription/'
      if (!(await database.has(String(controller.number), reason))) continue
      await controller.open().catch((error: Error) => {
        log.error('a controller was not opened', { number: controller.number, cause: error.message })
      })
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#all.map((controller) => controller.close()))
  }
}

/** Whether a revision is of something that the summary of a controller shows. */
const isSummarized = (path: string) =>
  path.startsWith('condition/') || path.startsWith('power/') || path.startsWith('firmware/')

/** One controller's hold on the certificates of all: it lets go of its own listeners only. */
class SharedCerts implements Certs {
  readonly #certs: Certs
  readonly #ends: (() => void)[] = []

  constructor(certs: Certs) {
    this.#certs = certs
  }

  get: Certs['get'] = (name) => this.#certs.get(name)
  where: Certs['where'] = (name) => this.#certs.where(name)
  set: Certs['set'] = (name, text) => this.#certs.set(name, text)
  delete: Certs['delete'] = (name) => this.#certs.delete(name)

  on(listener: Parameters<Certs['on']>[0]): () => void {
    const end = this.#certs.on(listener)
    this.#ends.push(end)
    return end
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end()
  }
}
