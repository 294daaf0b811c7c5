import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import { Bus, busName, type Call, type Signal } from './bus.ts'
import { type Dictionary, type KeepEntries, type KeepEntry, type Value, Variant } from './values.ts'

/** A service on the bus whose objects are kept. Objects at other paths are ignored. */
export interface Service {
  /** Its well-known name. */
  readonly name: string
  /** The paths of its ObjectManagers, below which its objects are. */
  readonly managers?: readonly string[]
  /** Objects that no ObjectManager has, and the interfaces of each to read. */
  readonly objects?: Readonly<Record<string, readonly string[]>>
}

/** A service that knows which services have the objects that are wanted. */
export interface Directory {
  /** Its well-known name. */
  readonly name: string
  /** The signal that it sends when it has others. */
  readonly changed: { readonly interface: string; readonly member: string }
  /** @throws {HalError} as {@link Bus.call} */
  find(bus: Bus): Promise<readonly Service[]>
}

/** Properties of an interface of an object that a signal tells. */
interface Told {
  readonly path: string
  readonly name: string
  readonly properties: Properties
}

/** The properties of an object by their names. */
export type Properties = ReadonlyMap<string, Value>

export interface MirrorOptions {
  /** The path of the socket of the bus. */
  readonly socket: string
  readonly services?: readonly Service[]
  /** Finds more services, also those that start later. */
  readonly directory?: Directory
  /** Whether an interface is wanted: the others are not kept. */
  readonly keeps: (name: string) => boolean
  /** Large dictionaries of which only a part is kept: by the names of the properties whose values they are. */
  readonly condenses?: { readonly [property: string]: Condensing } | undefined
  readonly warn: (text: string) => void
  /** The most that all objects weigh, in about bytes. */
  readonly most?: number
  /** The most that those of one service weigh: the others need room too. */
  readonly mostOfService?: number
}

/** How the value of a property becomes smaller. */
export interface Condensing {
  /** Reduces an entry as soon as it was read, so that thousands of whole entries are never in memory together. */
  readonly entry: KeepEntry
  /** Reduces the value with these entries; it may also have another type. */
  whole(value: Value): Value
}

type Interfaces = Map<string, Map<string, Value>>

const managerInterface = 'org.freedesktop.DBus.ObjectManager'
const propertiesInterface = 'org.freedesktop.DBus.Properties'

/** Milliseconds until a bus that is away is looked for again, at first and at most. */
const soonest = 250
const latest = 2000

/** Milliseconds until a service that fails is read again, at most: one with too much to read fails each time. */
const latestReading = 30_000

/** Milliseconds for which changes are collected before listeners are called. */
const merged = 20

/** Milliseconds from a change in the directory until it is asked: many services start at the same time. */
const found = 250

/** The most signals that are remembered while a service is read. */
const mostSignals = 5000

const defaultMost = 6 * 2 ** 20
const defaultMostOfService = defaultMost / 2
const mostNames = 2000

/**
 * The objects of services in memory. One call reads a service; signals keep it current. An object stays, unavailable,
 * while its service has lost its name or the bus is away, and is read again when they return.
 */
export class Mirror {
  readonly #options: MirrorOptions
  readonly #followed: Followed[]
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
    for (const { isAvailable, objects } of this.#followed) {
      const found = isAvailable ? objects.get(path)?.get(name) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The same; while its service is away, as they were last. */
  known(path: string, name: string): Properties | undefined {
    const found = this.properties(path, name)
    return (
      found ??
      this.#followed
        .find(({ objects }) => objects.get(path)?.has(name))
        ?.objects.get(path)
        ?.get(name)
    )
  }

  /** The paths of the objects that have an interface, also of those that are unavailable. */
  paths(name: string): string[] {
    return this.#followed.flatMap(({ objects }) => [...objects].flatMap(([path, all]) => (all.has(name) ? [path] : [])))
  }

  /** The unique name of the service that has an interface of an object; undefined without such a service. */
  owner(path: string, name: string): string | undefined {
    return this.#followed.find(({ isAvailable, objects }) => isAvailable && objects.get(path)?.has(name))?.owner
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

  #followable(service: Service): Followed {
    return new Followed(service, this.#options, this.#room, (path) => this.#note(path), this.told)
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
    Promise.all([...this.#followed.map((followed) => followed.join(bus)), ...asked]).then(
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

  /** Follows the services that the directory has, now and whenever it starts or tells of others. */
  async #consult(bus: Bus, directory: Directory): Promise<void> {
    const { name, changed } = directory
    let owner: Value | undefined
    const find = async (): Promise<void> => {
      try {
        const services = await directory.find(bus)
        await Promise.all(services.map((service) => this.#meet(bus, service)))
      } catch (error) {
        if (!(error instanceof HalError)) throw error
        // Without the directory there is nothing to find, until it starts.
        if (error.code !== 'ENODEV' && bus === this.#bus) {
          this.#options.warn(error.message)
          soon(latest)
        }
      }
    }
    const soon = (delay: number): void => {
      this.#asking ??= setTimeout(() => {
        this.#asking = undefined
        if (bus === this.#bus) void find()
      }, delay)
    }
    bus.signals.add((signal) => {
      const { sender, interface: from, member } = signal
      if (sender === busName && from === busName && member === 'NameOwnerChanged') {
        const [moved, , next] = valuesOf(signal, 'sss')
        if (moved !== name) return
        owner = next
        if (next !== '') soon(found)
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

/** The memory that all objects take together, which has a limit, and the names that they share. */
class Room {
  readonly #most: number
  #used = 0
  readonly #names = new Map<string, string>()

  constructor(most: number) {
    this.#most = most
  }

  /** @returns false, with nothing taken, where there is no room for so much more */
  take(weight: number): boolean {
    if (weight > 0 && this.#used + weight > this.#most) return false
    this.#used += weight
    return true
  }

  /** The same text for each object, as a message has the name of each interface and property once for each of them. */
  shared(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size < mostNames) this.#names.set(name, name)
    return name
  }
}

/** One service, and its objects. */
class Followed {
  readonly name: string
  #service: Service
  readonly #options: MirrorOptions
  readonly #room: Room
  readonly #changed: (path: string) => void
  readonly #told: Listeners<Told>
  readonly #keeps: KeepEntries
  readonly objects = new Map<string, Interfaces>()
  #bus: Bus | undefined
  /** The unique name of the connection that has the name. Only signals of this one are believed. */
  #owner: string | undefined
  /** The signals that have arrived while the service is read; undefined when it is not. */
  #signals: Signal[] | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #delay = soonest
  /** Why it was not read last. */
  #why = ''
  /** About the bytes that its objects take. */
  #weight = 0
  #isFull = false
  isAvailable = false

  constructor(
    service: Service,
    options: MirrorOptions,
    room: Room,
    changed: (path: string) => void,
    told: Listeners<Told>
  ) {
    this.name = service.name
    this.#service = service
    this.#options = options
    const condenses = Object.entries(options.condenses ?? {})
    this.#keeps = { properties: Object.fromEntries(condenses.map(([property, { entry }]) => [property, entry])) }
    this.#room = room
    this.#changed = changed
    this.#told = told
  }

  get owner(): string | undefined {
    return this.#owner
  }

  /** Subscribes before anything is read, so that no change is missed, and reads a service that is there. */
  async join(bus: Bus): Promise<void> {
    this.#bus = bus
    const { name } = this
    const owners = { sender: busName, interface: busName, member: 'NameOwnerChanged', arg0: name }
    const asked = [bus.match(owners), bus.match({ sender: name })]
    const owned = bus.ask('GetNameOwner', 's', [name]).then(
      ([owner]) => this.#owned(owner),
      (error: HalError) => {
        if (error.code !== 'ENODEV') throw error
        return this.#owned('')
      }
    )
    await Promise.all([...asked, owned])
  }

  /** Reads it again if its objects are elsewhere now. */
  async redefine(service: Service): Promise<void> {
    if (JSON.stringify(service) === JSON.stringify(this.#service)) return
    this.#service = service
    if (this.#owner !== undefined) await this.#read(this.#owner)
  }

  /** The bus is away. */
  leave(): void {
    this.#bus = undefined
    void this.#owned('')
  }

  hear(signal: Signal): void {
    const { sender, interface: name, member } = signal
    if (sender === busName && name === busName && member === 'NameOwnerChanged') this.#move(signal)
    else if (sender !== this.#owner) return
    else if (this.#signals === undefined) this.#apply(signal)
    else if (this.#signals.length < mostSignals) this.#signals.push(signal)
    else this.#retry(`${this.name}: more than ${mostSignals} signals came before it was read`)
  }

  #move(signal: Signal): void {
    const [name, , owner] = valuesOf(signal, 'sss')
    if (name === this.name) void this.#owned(owner)
  }

  async #owned(owner: Value | undefined): Promise<void> {
    const next = typeof owner === 'string' && owner !== '' ? owner : undefined
    if (next === this.#owner) return
    this.#owner = next
    this.#delay = soonest
    this.#lose()
    if (next !== undefined) await this.#read(next)
  }

  /** Whether a path is one of those where its objects are. */
  #has(path: Value | undefined): boolean {
    const { managers = [], objects = {} } = this.#service
    const isBelow = (each: string) => each === '/' || path === each || String(path).startsWith(`${each}/`)
    return managers.some(isBelow) || Object.hasOwn(objects, String(path))
  }

  #lose(): void {
    clearTimeout(this.#again)
    this.#signals = undefined
    if (!this.isAvailable) return
    this.isAvailable = false
    for (const path of this.objects.keys()) this.#changed(path)
  }

  #retry(why: string): void {
    if (why !== this.#why) this.#options.warn(`dbus: ${why}`)
    this.#why = why
    this.#lose()
    this.#again = setTimeout(() => {
      if (this.#owner !== undefined) void this.#read(this.#owner)
    }, this.#delay)
    this.#delay = Math.min(latestReading, 2 * this.#delay)
  }

  /** Reads all objects. Signals that arrive meanwhile are applied afterwards: some of them may be newer. */
  async #read(owner: string): Promise<void> {
    const signals: Signal[] = []
    this.#signals = signals
    try {
      const found = await this.#snapshot(owner)
      if (this.#signals !== signals) return
      this.#replace(found)
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      if (this.#signals === signals) this.#retry(error.message)
      return
    }
    this.#signals = undefined
    this.#delay = soonest
    this.#why = ''
    for (const signal of signals) this.#apply(signal)
  }

  async #snapshot(owner: string): Promise<Map<string, Interfaces>> {
    const { managers = [], objects = {} } = this.#service
    const found = new Map<string, Interfaces>()
    // First, as they are few, and those below a manager may leave no room.
    for (const [path, names] of Object.entries(objects))
      for (const name of names) {
        const properties = await this.#all(owner, path, name)
        if (properties !== undefined) found.set(path, (found.get(path) ?? new Map()).set(name, properties))
      }
    for (const path of managers) {
      const fields = {
        path,
        interface: managerInterface,
        member: 'GetManagedObjects',
        answer: 'a{oa{sa{sv}}}',
        // All of a service with many objects, with what is not wanted of them, does not fit into the heap at once.
        keeps: { ...this.#keeps, first: (_: Value, interfaces: Value) => this.#kept(interfaces) as Dictionary }
      }
      const [all] = await this.#call({ destination: owner, ...fields })
      for (const [object, kept] of all as Map<string, Interfaces>) if (this.#has(object)) found.set(object, kept)
    }
    return found
  }

  /** The properties of an interface; undefined if there is no such object or interface. */
  async #all(destination: string, path: string, name: string): Promise<Map<string, Value> | undefined> {
    const fields = {
      path,
      interface: propertiesInterface,
      member: 'GetAll',
      signature: 's',
      answer: 'a{sv}',
      keeps: this.#keeps
    }
    try {
      const [properties] = await this.#call({ destination, ...fields, values: [name] })
      return this.#plain(properties)
    } catch (error) {
      if (error instanceof HalError && error.code === 'ENODEV') return undefined
      throw error
    }
  }

  #call(call: Call): Promise<readonly Value[]> {
    return this.#bus?.call(call) ?? Promise.reject(new HalError('ENODEV', 'dbus: the bus is away'))
  }

  /** Of the interfaces of an object, a{sa{sv}}, those that are wanted. */
  #kept(interfaces: Value | undefined): Interfaces {
    const kept: Interfaces = new Map()
    for (const [name, properties] of interfaces as Dictionary)
      if (this.#options.keeps(name as string)) kept.set(this.#room.shared(name as string), this.#plain(properties))
    return kept
  }

  /** The values of properties, a{sv}, without their types. */
  #plain(properties: Value | undefined): Map<string, Value> {
    const values = new Map<string, Value>()
    for (const [name, value] of properties as Dictionary)
      values.set(this.#room.shared(name as string), this.#condensed(name as string, value))
    return values
  }

  #condensed(property: string, variant: Value | undefined): Value {
    const { value } = variant as Variant
    return this.#condensing(property)?.whole(value) ?? this.#shared(value)
  }

  /** Words of enumerations and ends of associations stand in many objects. */
  #shared(value: Value): Value {
    if (typeof value === 'string') return /^(\/|xyz\.)/.test(value) ? this.#room.shared(value) : value
    return Array.isArray(value) ? value.map((each) => this.#shared(each)) : value
  }

  #condensing(property: string): Condensing | undefined {
    const { condenses = {} } = this.#options
    return Object.hasOwn(condenses, property) ? condenses[property] : undefined
  }

  #replace(found: ReadonlyMap<string, Interfaces>): void {
    const wasAvailable = this.isAvailable
    this.isAvailable = true
    this.#isFull = false
    for (const [path, interfaces] of this.objects)
      for (const name of [...interfaces.keys()]) if (!found.get(path)?.has(name)) this.#remove(path, name)
    for (const [path, interfaces] of found) {
      for (const [name, properties] of interfaces) {
        const gone = [...(this.objects.get(path)?.get(name)?.keys() ?? [])].filter((each) => !properties.has(each))
        for (const property of gone) this.#set(path, name, property, undefined)
        this.#add(path, name, properties)
      }
    }
    if (!wasAvailable) for (const path of this.objects.keys()) this.#changed(path)
  }

  #apply(signal: Signal): void {
    const { interface: name, member, path } = signal
    if (name === propertiesInterface && member === 'PropertiesChanged')
      this.#update(path, valuesOf(signal, 'sa{sv}as', this.#keeps))
    else if (name === managerInterface && member === 'InterfacesAdded') {
      const [object, interfaces = new Map()] = valuesOf(signal, 'oa{sa{sv}}', this.#keeps)
      if (this.#has(object))
        for (const [each, properties] of this.#kept(interfaces)) this.#add(object as string, each, properties)
    } else if (name === managerInterface && member === 'InterfacesRemoved') {
      const [object, names = []] = valuesOf(signal, 'oas')
      for (const each of names as string[]) this.#remove(object as string, each)
    }
  }

  #update(path: string, [name, changed, invalidated]: readonly Value[]): void {
    if (!this.objects.get(path)?.has(name as string)) return
    const properties = this.#plain(changed)
    this.#add(path, name as string, properties)
    this.#told.emit({ path, name: name as string, properties })
    for (const property of invalidated as string[]) void this.#refresh(path, name as string, property)
  }

  /** Reads a property whose value a signal does not tell. It is unknown until then. */
  async #refresh(path: string, name: string, property: string): Promise<void> {
    const owner = this.#owner as string
    this.#set(path, name, property, undefined)
    const fields = { path, interface: propertiesInterface, member: 'Get', signature: 'ss', answer: 'v' }
    const keep = this.#condensing(property)?.entry
    try {
      const call = { destination: owner, ...fields, values: [name, property] }
      const [value] = await this.#call(keep === undefined ? call : { ...call, keeps: { first: keep } })
      if (owner === this.#owner) this.#set(path, name, property, this.#condensed(property, value))
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      if (owner === this.#owner && error.code !== 'ENODEV') this.#retry(error.message)
    }
  }

  #add(path: string, name: string, properties: Properties): void {
    let interfaces = this.objects.get(path)
    if (interfaces === undefined || !interfaces.has(name)) {
      if (!this.#take(weightOf(path) + weightOf(name))) return
      interfaces ??= new Map()
      this.objects.set(path, interfaces.set(name, new Map()))
      this.#changed(path)
    }
    for (const [property, value] of properties) this.#set(path, name, property, value)
  }

  #remove(path: string, name: string): void {
    const interfaces = this.objects.get(path)
    const properties = interfaces?.get(name)
    if (interfaces === undefined || properties === undefined) return
    for (const property of [...properties.keys()]) this.#set(path, name, property, undefined)
    this.#take(-weightOf(path) - weightOf(name))
    interfaces.delete(name)
    if (interfaces.size === 0) this.objects.delete(path)
    this.#changed(path)
  }

  #set(path: string, name: string, property: string, value: Value | undefined): void {
    const properties = this.objects.get(path)?.get(name)
    if (properties === undefined) return
    const old = properties.get(property)
    if (value === old) return
    const weight = (each: Value | undefined) => (each === undefined ? 0 : weightOf(property) + weightOf(each))
    const fits = this.#take(weight(value) - weight(old))
    if (value !== undefined && fits) properties.set(property, value)
    else if (properties.delete(property) && !fits) this.#take(-weight(old))
    this.#changed(path)
  }

  #take(weight: number): boolean {
    const most = this.#options.mostOfService ?? defaultMostOfService
    const fits = (weight <= 0 || this.#weight + weight <= most) && this.#room.take(weight)
    if (fits) this.#weight += weight
    if (!fits && !this.#isFull) this.#options.warn(`dbus: ${this.name} has more objects than can be kept`)
    if (!fits) this.#isFull = true
    return fits
  }
}

/** The values of a signal; none if they are not valid, or of other types. */
function valuesOf(signal: Signal, signature: string, keeps?: KeepEntries): readonly Value[] {
  if (signal.signature !== signature) return []
  try {
    return signal.values(keeps)
  } catch (error) {
    if (error instanceof HalError) return []
    throw error
  }
}

/** About the bytes that a value takes. */
function weightOf(value: Value): number {
  if (typeof value === 'string') return 64 + value.length
  if (value instanceof Variant) return 64 + weightOf(value.value)
  if (value instanceof Uint8Array) return 64 + value.length
  if (value instanceof Map) return [...value].reduce((sum, [key, each]) => sum + weightOf(key) + weightOf(each), 64)
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + weightOf(each), 64)
  return 16
}
