import type { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import { type Bus, busName, type Call, type Signal } from './bus.ts'
import { type Changed, type Fields, type Interfaces, ObjectTree, type Properties, type Room } from './object-tree.ts'
import type { Dictionary, KeepEntries, KeepEntry, Value, Variant } from './values.ts'

/** A service on the bus whose objects are kept. Objects at other paths are ignored. */
export interface Service {
  /** Its well-known name. */
  readonly name: string
  /** The paths of its ObjectManagers, below which its objects are. */
  readonly managers?: readonly string[]
  /** Objects that no ObjectManager has, and the interfaces of each to read. */
  readonly objects?: Readonly<Record<string, readonly string[]>>
}

/** Properties of an interface of an object that a signal tells. */
export interface Told {
  readonly path: string
  readonly name: string
  readonly properties: Properties
}

export interface MirroredOptions {
  /** Whether an interface is wanted: the others are not kept. */
  readonly keeps: (name: string) => boolean
  /** Large dictionaries of which only a part is kept: by the names of the properties whose values they are. */
  readonly condenses?: { readonly [property: string]: Condensing } | undefined
  readonly warn: (text: string) => void
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

const managerInterface = 'org.freedesktop.DBus.ObjectManager'
const propertiesInterface = 'org.freedesktop.DBus.Properties'

/** The signals that change objects, by their names. */
const changes: Readonly<Record<string, { readonly from: string; readonly signature: string }>> = {
  PropertiesChanged: { from: propertiesInterface, signature: 'sa{sv}as' },
  InterfacesAdded: { from: managerInterface, signature: 'oa{sa{sv}}' },
  InterfacesRemoved: { from: managerInterface, signature: 'oas' }
}

/** Milliseconds until a service that fails is read again, at first and at most: one with too much to read fails each time. */
const soonest = 250
const latest = 30_000

/** The most signals that are remembered while a service is read. */
const mostSignals = 5000

const defaultMost = 3 * 2 ** 20

/** One service, and its objects. */
export class MirroredService {
  readonly name: string
  #service: Service
  readonly #options: MirroredOptions
  readonly #room: Room
  readonly #changed: Changed
  readonly #told: Listeners<Told>
  readonly #keeps: KeepEntries
  readonly objects: ObjectTree
  #bus: Bus | undefined
  /** The unique name of the connection that has the name. Only signals of this one are believed. */
  #owner: string | undefined
  /** The signals that have arrived while the service is read; undefined when it is not. */
  #signals: Signal[] | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #delay = soonest
  /** Why it was not read last. */
  #why = ''
  #isFull = false
  isAvailable = false

  constructor(service: Service, options: MirroredOptions, room: Room, changed: Changed, told: Listeners<Told>) {
    this.name = service.name
    this.#service = service
    this.#options = options
    const condenses = Object.entries(options.condenses ?? {})
    this.#keeps = { properties: Object.fromEntries(condenses.map(([property, { entry }]) => [property, entry])) }
    this.#room = room
    this.#changed = changed
    this.objects = new ObjectTree(room, options.mostOfService ?? defaultMost, changed, () => {
      if (!this.#isFull) options.warn(`dbus: ${service.name} has more objects than can be kept`)
      this.#isFull = true
    })
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
    const moved = movedTo(signal)
    if (moved?.name === this.name) void this.#owned(moved.owner)
    else if (signal.sender !== this.#owner) return
    else if (this.#signals === undefined) this.#apply(signal)
    else if (this.#signals.length < mostSignals) this.#signals.push(signal)
    else this.#retry(`dbus: ${this.name}: more than ${mostSignals} signals came before it was read`)
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
    for (const path of this.objects.paths()) this.#changed(path)
  }

  #retry(why: string): void {
    if (why !== this.#why) this.#options.warn(why)
    this.#why = why
    this.#lose()
    this.#again = setTimeout(() => {
      if (this.#owner !== undefined) void this.#read(this.#owner)
    }, this.#delay)
    this.#delay = Math.min(latest, 2 * this.#delay)
  }

  /** Reads all objects. Signals that arrive meanwhile are applied afterwards: some of them may be newer. */
  async #read(owner: string): Promise<void> {
    const signals: Signal[] = []
    this.#signals = signals
    try {
      const found = await this.#snapshot(owner)
      if (this.#signals !== signals) return
      const wasAvailable = this.isAvailable
      this.isAvailable = true
      this.#isFull = false
      this.objects.replace(found)
      if (!wasAvailable) for (const path of this.objects.paths()) this.#changed(path)
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      if (this.#signals === signals) this.#retry(error.message)
      return
    }
    this.#signals = undefined
    this.#why = ''
    for (const signal of signals) this.#apply(signal)
  }

  async #snapshot(owner: string): Promise<Map<string, Interfaces>> {
    const { managers = [], objects = {} } = this.#service
    const found = new Map<string, Interfaces>()
    // First, as they are few, and those below a manager may leave no room.
    for (const [path, names] of Object.entries(objects))
      for (const name of names) {
        const fields = await this.#all(owner, path, name)
        if (fields !== undefined)
          found.set(path, Object.assign(found.get(path) ?? Object.create(null), { [name]: fields }))
      }
    for (const path of managers) {
      // All of a service with many objects, with what is not wanted of them, does not fit into the heap at once.
      const first: KeepEntry = (object, interfaces) => {
        if (this.#has(object)) found.set(object as string, this.#kept(interfaces))
        return false
      }
      const fields = { path, interface: managerInterface, member: 'GetManagedObjects', answer: 'a{oa{sa{sv}}}' }
      await this.#call({ destination: owner, ...fields, keeps: { ...this.#keeps, first } })
    }
    return found
  }

  /** The properties of an interface; undefined if there is no such object or interface. */
  async #all(destination: string, path: string, name: string): Promise<Fields | undefined> {
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
      return this.#fields(properties)
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
    const kept: Interfaces = Object.create(null)
    for (const [name, properties] of interfaces as Dictionary)
      if (this.#options.keeps(name as string)) kept[this.#room.name(name as string)] = this.#fields(properties)
    return kept
  }

  /** The values of properties, a{sv}, without their types. */
  #fields(properties: Value | undefined): Fields {
    const fields: Fields = Object.create(null)
    for (const [name, value] of properties as Dictionary)
      fields[this.#room.name(name as string)] = this.#condensed(name as string, value)
    return fields
  }

  #condensed(property: string, variant: Value | undefined): Value {
    const { value } = variant as Variant
    return this.#condensing(property)?.whole(value) ?? this.#room.value(value)
  }

  #condensing(property: string): Condensing | undefined {
    const { condenses = {} } = this.#options
    return Object.hasOwn(condenses, property) ? condenses[property] : undefined
  }

  #apply(signal: Signal): void {
    const { interface: from, member, path } = signal
    const signature = from === changes[member]?.from ? changes[member]?.signature : undefined
    if (signature === undefined || signal.signature !== signature) return
    let values: readonly Value[]
    try {
      values = signal.values(this.#keeps)
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      // Its change is lost, as with a signal that is too long. Reading the service again finds it.
      this.#retry(`dbus: ${this.name}: ${path}: ${member}: ${error.message}`)
      return
    }
    this.#delay = soonest
    const [object, changed] = values as [string, Value]
    if (member === 'PropertiesChanged') this.#update(path, values)
    else if (member === 'InterfacesRemoved') for (const name of changed as string[]) this.objects.remove(object, name)
    else if (this.#has(object))
      for (const [name, fields] of Object.entries(this.#kept(changed))) this.objects.add(object, name, fields)
  }

  #update(path: string, [name, changed, invalidated]: readonly Value[]): void {
    if (!this.objects.has(path, name as string)) return
    const fields = this.#fields(changed)
    this.objects.add(path, name as string, fields)
    this.#told.emit({ path, name: name as string, properties: new Map(Object.entries(fields)) })
    for (const property of invalidated as string[]) void this.#refresh(path, name as string, property)
  }

  /** Reads a property whose value a signal does not tell. It is unknown until then. */
  async #refresh(path: string, name: string, property: string): Promise<void> {
    const owner = this.#owner as string
    this.objects.set(path, name, property, undefined)
    const fields = { path, interface: propertiesInterface, member: 'Get', signature: 'ss', answer: 'v' }
    const keep = this.#condensing(property)?.entry
    try {
      const call = { destination: owner, ...fields, values: [name, property] }
      const [value] = await this.#call(keep === undefined ? call : { ...call, keeps: { first: keep } })
      if (owner === this.#owner) this.objects.set(path, name, property, this.#condensed(property, value))
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      if (owner === this.#owner && error.code !== 'ENODEV') this.#retry(error.message)
    }
  }
}

/** Reads `NameOwnerChanged`: the name, and its new owner, empty if it has none. Undefined for other signals. */
export function movedTo({ sender, interface: from, member, signature, values }: Signal) {
  if (sender !== busName || from !== busName || member !== 'NameOwnerChanged' || signature !== 'sss') return undefined
  const [name, , owner] = values() as readonly string[]
  return { name, owner }
}
