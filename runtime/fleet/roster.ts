import { SettingsError } from '#data/configuration'
import { type DeviceOptions, type FaultRule, type FleetDescription, groupOf, inRack } from '#data/fleet'
import type { Clock } from '#hal/clock.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { log } from '#runtime/base/log.ts'
import type { Service } from '#runtime/open/service.ts'
import type { SharedDatabase } from '#runtime/store/shared.ts'
import { type Boards, overlaid } from './boards.ts'
import { type Common, Controller } from './controller.ts'
import { Faults } from './faults.ts'
import { boardOf, hostNameOf, type Kind, type Which } from './identity.ts'
import { addressKey, devicesKey, faultsKey } from './keys.ts'
import { addressOf, hasListenerEach, type Reach } from './plan.ts'

/** How often controllers with which nothing happens are looked for, in milliseconds. */
const tidyEvery = 5000

/** The machine of the controllers of a group, and the port that each is connected to, if it is one of a rack. */
interface Machine {
  readonly kind: Kind
  readonly addresses: number
  readonly boards: Boards
  readonly neighbour: (number: number) => Which['neighbour']
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
   * @param own entries of the fleet: faults and addresses that were set while it ran
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
      const leased = hasListenerEach(reach) ? own.get(addressKey(number)) : undefined
      const individual = this.#individual(number, hostNameOf(common, groupOf(group, index), number))
      const fault = individual.devices && boards.fault(boards.options(individual.devices))
      if (fault !== undefined) throw new SettingsError(`controllers.${number}: ${fault}`)
      const rules = set<readonly FaultRule[]>(faultsKey(number))
      const controller = new Controller(number, parts, {
        group: name,
        boards,
        address,
        leased,
        identified: (board, leased) =>
          boardOf(
            { ...kind, board, group: groupOf(group, index) },
            {
              ...{ seed, number, addresses, address: leased ?? address, isLeased: leased !== undefined },
              neighbour: neighbour(number)
            }
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
