import { type Dictionary, type Value, Variant } from './values.ts'

/** The properties of an interface of an object. */
export interface Properties extends Iterable<readonly [name: string, value: Value]> {
  get(name: string): Value | undefined
}

/**
 * By their names, in an object without a prototype: thousands of them share their layout, which takes a fifth of the
 * memory of maps.
 */
export type Fields = { [property: string]: Value }

/** The interfaces of an object, likewise. */
export type Interfaces = { [name: string]: Fields }

/** The most values that are shared, and entries of one of them. */
const mostShared = 5000
const mostEntries = 8

/** The memory that the objects of all services take together, which has a limit, and the values that they share. */
export class Room {
  readonly #most: number
  #used = 0
  readonly #shared = new Map<string, Value>()

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
  name(name: string): string {
    return this.#known(name, name) as string
  }

  /** Likewise for what stands in many objects: words of enumerations, associations and their ends. */
  value(value: Value): Value {
    if (typeof value === 'string') return /^(\/|xyz\.)/.test(value) ? this.#known(value, value) : value
    if (!Array.isArray(value)) return value
    const shared = value.map((each) => this.value(each))
    const isShared = (each: Value) => typeof each === 'string' || Array.isArray(each)
    return shared.length < mostEntries && shared.every(isShared) ? this.#known(JSON.stringify(shared), shared) : shared
  }

  #known(key: string, value: Value): Value {
    const known = this.#shared.get(key)
    if (known !== undefined) return known
    if (this.#shared.size < mostShared) this.#shared.set(key, value)
    return value
  }
}

/** Called with the path of an object that has other properties. @param added the interface that it did not have before */
export type Changed = (path: string, added?: string) => void

/** The objects of one service, by their paths. Leaves out interfaces and properties that do not fit. */
export class ObjectTree {
  readonly #room: Room
  readonly #most: number
  readonly #changed: Changed
  readonly #full: () => void
  readonly #objects = new Map<string, Interfaces>()
  #weight = 0

  /**
   * @param most what they may weigh, in about bytes
   * @param full called when something was left out
   */
  constructor(room: Room, most: number, changed: Changed, full: () => void) {
    this.#room = room
    this.#most = most
    this.#changed = changed
    this.#full = full
  }

  paths(): Iterable<string> {
    return this.#objects.keys()
  }

  has(path: string, name: string): boolean {
    return this.#objects.get(path)?.[name] !== undefined
  }

  get(path: string, name: string): Properties | undefined {
    const fields = this.#objects.get(path)?.[name]
    return fields === undefined ? undefined : new View(fields)
  }

  /** Has these objects and no others. */
  replace(found: ReadonlyMap<string, Interfaces>): void {
    for (const [path, interfaces] of this.#objects)
      for (const name of Object.keys(interfaces)) if (found.get(path)?.[name] === undefined) this.remove(path, name)
    for (const [path, interfaces] of found)
      for (const [name, fields] of Object.entries(interfaces)) {
        for (const property of Object.keys(this.#objects.get(path)?.[name] ?? {}))
          if (!(property in fields)) this.set(path, name, property, undefined)
        this.add(path, name, fields)
      }
  }

  /** Adds an interface, which then owns `fields`, or has the one that is there have these properties too. */
  add(path: string, name: string, fields: Fields): void {
    const interfaces = this.#objects.get(path)
    if (interfaces?.[name] !== undefined) {
      for (const property of Object.keys(fields)) this.set(path, name, property, fields[property])
      return
    }
    const weight = (interfaces === undefined ? weightOfObject(path) : 0) + weightOfInterface(fields)
    if (!this.#take(weight)) return
    const own: Interfaces = interfaces ?? Object.create(null)
    own[name] = fields
    this.#objects.set(path, own)
    this.#changed(path, name)
  }

  remove(path: string, name: string): void {
    const interfaces = this.#objects.get(path)
    const fields = interfaces?.[name]
    if (interfaces === undefined || fields === undefined) return
    this.#take(-weightOfInterface(fields))
    delete interfaces[name]
    if (Object.keys(interfaces).length === 0) {
      this.#take(-weightOfObject(path))
      this.#objects.delete(path)
    }
    this.#changed(path)
  }

  /** Sets a property of an interface that is there. @param value undefined: it is unknown */
  set(path: string, name: string, property: string, value: Value | undefined): void {
    const fields = this.#objects.get(path)?.[name]
    const old = fields?.[property]
    if (fields === undefined || value === old) return
    const weight = (each: Value | undefined) => (each === undefined ? 0 : weightOfProperty(each))
    const fits = this.#take(weight(value) - weight(old))
    if (value !== undefined && fits) fields[property] = value
    else {
      delete fields[property]
      if (!fits) this.#take(-weight(old))
    }
    this.#changed(path)
  }

  #take(weight: number): boolean {
    const fits = (weight <= 0 || this.#weight + weight <= this.#most) && this.#room.take(weight)
    if (fits) this.#weight += weight
    else this.#full()
    return fits
  }
}

class View implements Properties {
  readonly #fields: Fields

  constructor(fields: Fields) {
    this.#fields = fields
  }

  get(name: string): Value | undefined {
    return this.#fields[name]
  }

  [Symbol.iterator](): Iterator<[string, Value]> {
    return Object.entries(this.#fields)[Symbol.iterator]()
  }
}

/** About the bytes that an object without interfaces, an interface and a property take in QuickJS. */
const weightOfObject = (path: string) => 200 + path.length
const weightOfInterface = (fields: Fields) =>
  Object.values(fields).reduce<number>((sum, value) => sum + weightOfProperty(value), 120)
const weightOfProperty = (value: Value) => 16 + weightOf(value)

function weightOf(value: Value): number {
  const sum = (all: Iterable<Value>) => [...all].reduce<number>((so, each) => so + 16 + weightOf(each), 80)
  if (typeof value === 'string') return 32 + value.length
  if (value instanceof Variant) return 100 + weightOf(value.value)
  if (value instanceof Uint8Array) return 150 + value.length
  if (value instanceof Map) return 64 * value.size + sum([...(value as Dictionary)].flat())
  return Array.isArray(value) ? sum(value) : 16
}
