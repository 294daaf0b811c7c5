import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import { Bus, busName, type Call } from './bus.ts'
import { type MirroredOptions, MirroredService, movedTo, type Service, type Told } from './mirrored-service.ts'
import { type Properties, Room } from './object-tree.ts'
import type { Value } from './values.ts'

export type { Condensing, Service } from './mirrored-service.ts'
export type { Properties } from './object-tree.ts'

/** A service that knows which services have the objects that are wanted. */
export interface Directory {
  /** Its well-known name. */
  readonly name: string
  /** The signal that it sends when it has others. */
  readonly changed: { readonly interface: string; readonly member: string }
  /** @throws {HalError} as {@link Bus.call} */
  find(bus: Bus): Promise<readonly Service[]>
}

export interface MirrorOptions extends MirroredOptions {
  /** The path of the socket of the bus. */
  readonly socket: string
  readonly services?: readonly Service[]
  /** Finds more services, also those that start later. */
  readonly directory?: Directory
  /** The most that all objects weigh, in about bytes. */
  readonly most?: number
}

/** Milliseconds until a bus that is away is looked for again, at first and at most. */
const soonest = 250
const latest = 2000

/** Milliseconds for which changes are collected before listeners are called. */
const merged = 20

/** Milliseconds from a change in the directory until it is asked: many services start at the same time. */
const found = 250

/** The services that are joined at the same time: with the calls of each, fewer than may wait for an answer. */
const mostJoining = 20

const defaultMost = 6 * 2 ** 20

/**
 * The objects of services in memory. One call reads a service; signals keep it current. An object stays, unavailable,
 * while its service has lost its name or the bus is away, and is read again when they return.
 */
export class Mirror {
  readonly #options: MirrorOptions
  readonly #followed: MirroredService[]
  /** Those that have an interface, or had it, by its name: they are few, and each reading looks for one. */
  readonly #having = new Map<string, readonly MirroredService[]>()
  readonly #room: Room
  readonly #listeners = new Listeners<ReadonlySet<string>>()
  /** Of each signal that tells values: also of those that the next one replaces before the listeners above are called. */
  readonly told = new Listeners<Told>()
  #bus: Bus | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #delay = soonest
  #changed = new Set<string>()
  #telling: ReturnType<typeof setTimeout> | undefined
  #asking: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #why = ''
  #settle: () => void = () => undefined
  /** Resolves when all services that are there have been read, or the attempt has failed. Later ones follow. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve
  })

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#room = new Room(options.most ?? defaultMost)
    this.#followed = (options.services ?? []).map((service) => this.#followable(service))
    this.#connect()
  }

  /** The properties of an interface of an object; undefined where there is no such interface, or its service is away. */
  properties(path: string, name: string): Properties | undefined {
    return this.#available(path, name)?.objects.get(path, name)
  }

  /** The same; while its service is away, as they were last. */
  known(path: string, name: string): Properties | undefined {
    const found = this.#available(path, name) ?? this.#have(name).find(({ objects }) => objects.has(path, name))
    return found?.objects.get(path, name)
  }

  /** The paths of the objects that have an interface, also of those that are unavailable. */
  paths(name: string): string[] {
    return this.#have(name).flatMap(({ objects }) => [...objects.paths()].filter((path) => objects.has(path, name)))
  }

  /** The unique name of the service that has an interface of an object; undefined without such a service. */
  owner(path: string, name: string): string | undefined {
    return this.#available(path, name)?.owner
  }

  #available(path: string, name: string): MirroredService | undefined {
    return this.#have(name).find(({ isAvailable, objects }) => isAvailable && objects.has(path, name))
  }

  #have(name: string): readonly MirroredService[] {
    return this.#having.get(name) ?? []
  }

  /**
   * Calls a method of a service.
   *
   * @throws {HalError} as {@link Bus.call}; `ENODEV` while the bus is away
   */
  call(call: Call): Promise<readonly Value[]> {
    return this.#bus?.call(call) ?? Promise.reject(new HalError('ENODEV', `dbus: ${call.member}: ${this.#why}`))
  }

  /** Calls `listener` with the paths of objects that have changed, appeared, gone, or become unavailable or available. */
  on(listener: (paths: ReadonlySet<string>) => void): () => void {
    return this.#listeners.add(listener)
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.told.clear()
    clearTimeout(this.#again)
    clearTimeout(this.#telling)
    clearTimeout(this.#asking)
    this.#bus?.close()
    for (const followed of this.#followed) followed.leave()
  }

  #followable(service: Service): MirroredService {
    const changed = (path: string, added?: string) => {
      if (added !== undefined && !this.#have(added).includes(followed))
        this.#having.set(added, [...this.#have(added), followed])
      this.#note(path)
    }
    const followed = new MirroredService(service, this.#options, this.#room, changed, this.told)
    return followed
  }

  #note(path: string): void {
    if (this.#isClosed) return
    this.#changed.add(path)
    this.#telling ??= setTimeout(() => {
      const changed = this.#changed
      this.#changed = new Set()
      this.#telling = undefined
      this.#listeners.emit(changed)
    }, merged)
  }

  #connect(): void {
    Bus.open(this.#options.socket).then(
      (bus) => this.#follow(bus),
      (error) => this.#retry(String((error as Error).message))
    )
  }

  #retry(why: string): void {
    this.#settle()
    if (this.#isClosed) return
    if (why !== this.#why) this.#options.warn(why)
    this.#why = why
    this.#again = setTimeout(() => this.#connect(), this.#delay)
    this.#delay = Math.min(latest, 2 * this.#delay)
  }

  #follow(bus: Bus): void {
    if (this.#isClosed) {
      bus.close()
      return
    }
    this.#bus = bus
    let why = 'dbus: the bus closed the connection'
    bus.onClose = () => {
      this.#bus = undefined
      for (const followed of this.#followed) followed.leave()
      this.#retry(why)
    }
    bus.signals.add((signal) => {
      for (const followed of this.#followed) followed.hear(signal)
    })
    const asked = this.#options.directory === undefined ? [] : [this.#consult(bus, this.#options.directory)]
    Promise.all([forEach(this.#followed, (followed) => followed.join(bus)), ...asked]).then(
      () => {
        this.#delay = soonest
        this.#why = ''
        this.#settle()
      },
      (error) => {
        why = (error as Error).message
        bus.close()
      }
    )
  }

  /** Follows the services in the directory. Queries it now, and whenever it starts or signals a change. */
  async #consult(bus: Bus, directory: Directory): Promise<void> {
    const { name, changed } = directory
    let owner: Value | undefined
    const look = async (): Promise<void> => {
      try {
        const services = await directory.find(bus)
        await forEach(services, (service) => this.#meet(bus, service))
      } catch (error) {
        if (!(error instanceof HalError)) throw error
        // Without the directory there is nothing to find, until it starts.
        if (error.code !== 'ENODEV' && bus === this.#bus) {
          this.#options.warn(error.message)
          soon(latest)
        }
      }
    }
    // One after the other: together they would make more calls than may wait.
    let looking = Promise.resolve()
    const find = (): Promise<void> => {
      looking = looking.then(look)
      return looking
    }
    const soon = (delay: number): void => {
      this.#asking ??= setTimeout(() => {
        this.#asking = undefined
        if (bus === this.#bus) void find()
      }, delay)
    }
    bus.signals.add((signal) => {
      const { sender, interface: from, member } = signal
      const moved = movedTo(signal)
      if (moved?.name === name) {
        owner = moved.owner
        if (owner !== '') soon(found)
      } else if (sender === owner && from === changed.interface && member === changed.member) soon(found)
    })
    await Promise.all([
      bus.match({ sender: busName, interface: busName, member: 'NameOwnerChanged', arg0: name }),
      bus.match({ sender: name, ...changed })
    ])
    owner ??= await bus.ask('GetNameOwner', 's', [name]).then(
      ([known]) => known,
      () => undefined
    )
    await find()
  }

  /** Follows a service of the directory. Where it is known, its objects may be others now. */
  async #meet(bus: Bus, service: Service): Promise<void> {
    const known = this.#followed.find(({ name }) => name === service.name)
    if (known !== undefined) return known.redefine(service)
    const followed = this.#followable(service)
    this.#followed.push(followed)
    await followed.join(bus)
  }
}

/** Does something for each, for a few at the same time. */
async function forEach<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const next = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) await work(each)
  }
  await Promise.all(Array.from({ length: mostJoining }, next))
}
