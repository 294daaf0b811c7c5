import { utf8, viewOf } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { isPath } from './names.ts'
import { alignments, longestSignature, type Type, typeOf, typesOf } from './signature.ts'

/**
 * A value of D-Bus: 64-bit integers are bigints, an array of bytes is a Uint8Array, a dictionary a Map, a structure an
 * array of its members.
 */
export type Value = boolean | number | bigint | string | Variant | Uint8Array | readonly Value[] | Dictionary

export type Dictionary = ReadonlyMap<Value, Value>

/** Reduces an entry of a dictionary to the value to keep, after the entry was read and before the next one is. */
export type KeepEntry = (key: Value, value: Value) => Value

/** For dictionaries that may be large. */
export interface KeepEntries {
  /** For the first one. */
  readonly first?: KeepEntry | undefined
  /** For those that are values of properties, by the names of these. */
  readonly properties?: { readonly [property: string]: KeepEntry } | undefined
}

/** A value together with its type. */
export class Variant {
  readonly signature: string
  readonly value: Value

  constructor(signature: string, value: Value) {
    this.signature = signature
    this.value = value
  }
}

/** "Marshaling containers": the bytes of one array, and how deep the containers of a message are nested. */
const longestArray = 2 ** 26
const deepest = 64

/** The most values of one message: its memory is many times that of its bytes, and the heap of the binary has 24 MiB. */
const mostValues = 100_000

/** As how many of them an entry counts of which only a part is kept. */
const keptValues = 3

const fault = (what: string) => new HalError('EIO', `dbus: a message has ${what}`)

/** With the byte order mark, which is a part of the text. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads values from bytes, the first of which is aligned to 8. Each method throws `EIO` when the bytes are not valid. */
export class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #isLittle: boolean
  #at: number
  #left = mostValues
  readonly #keeps: { readonly [property: string]: KeepEntry }
  /** For the next dictionary. */
  #keep: KeepEntry | undefined

  constructor(bytes: Uint8Array, isLittle: boolean, at = 0, keeps: KeepEntries = {}) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#isLittle = isLittle
    this.#at = at
    this.#keep = keeps.first
    this.#keeps = keeps.properties ?? {}
  }

  /** The values of a signature. */
  values(signature: string): Value[] {
    return this.#types(signature).map((type) => this.#value(type, 0))
  }

  /** Skips padding, which is zero. */
  align(to: number): void {
    const end = (this.#at + to - 1) & -to
    if (end === this.#at) return
    this.#need(end - this.#at)
    for (; this.#at < end; this.#at += 1) if (this.#bytes[this.#at] !== 0) throw fault('padding that is not zero')
  }

  /** @throws {HalError} `EIO` unless all bytes were read */
  end(): void {
    if (this.#at !== this.#bytes.length) throw fault('more bytes than its signature says')
  }

  #types(signature: string): readonly Type[] {
    try {
      return typesOf(signature)
    } catch (error) {
      throw error instanceof HalError ? fault(`a wrong signature: ${error.message}`) : error
    }
  }

  #need(count: number): void {
    if (count > this.#bytes.length - this.#at) throw fault('fewer bytes than its signature says')
  }

  #take(count: number): number {
    this.#need(count)
    const at = this.#at
    this.#at += count
    return at
  }

  #value(type: Type, depth: number): Value {
    if (--this.#left < 0) throw fault(`more than ${mostValues} values`)
    const { code } = type
    this.align(alignments[code])
    const view = this.#view
    const isLittle = this.#isLittle
    switch (code) {
      case 'y':
        return view.getUint8(this.#take(1))
      case 'n':
        return view.getInt16(this.#take(2), isLittle)
      case 'q':
        return view.getUint16(this.#take(2), isLittle)
      case 'i':
        return view.getInt32(this.#take(4), isLittle)
      case 'u':
      case 'h':
        return view.getUint32(this.#take(4), isLittle)
      case 'x':
        return view.getBigInt64(this.#take(8), isLittle)
      case 't':
        return view.getBigUint64(this.#take(8), isLittle)
      case 'd':
        return view.getFloat64(this.#take(8), isLittle)
      case 'b':
        return this.#boolean()
      case 's':
        return this.#text(view.getUint32(this.#take(4), isLittle))
      case 'o':
        return this.#path(this.#text(view.getUint32(this.#take(4), isLittle)))
      case 'g':
        return this.#signature()
      case 'v':
        return this.#variant(depth)
      case 'a':
        return this.#array(type.item, depth)
      default:
        return this.#members(type.members, depth)
    }
  }

  #boolean(): boolean {
    const value = this.#view.getUint32(this.#take(4), this.#isLittle)
    if (value > 1) throw fault('a boolean that is neither 0 nor 1')
    return value === 1
  }

  #text(length: number): string {
    this.#need(length + 1)
    const start = this.#take(length + 1)
    const content = this.#bytes.subarray(start, start + length)
    if (this.#bytes[start + length] !== 0 || content.includes(0)) throw fault('a text with a wrong end')
    try {
      return decoder.decode(content)
    } catch {
      throw fault('a text that is not UTF-8')
    }
  }

  #path(path: string): string {
    if (!isPath(path)) throw fault('an invalid object path')
    return path
  }

  #signature(): string {
    const signature = this.#text(this.#view.getUint8(this.#take(1)))
    this.#types(signature)
    return signature
  }

  #variant(depth: number): Variant {
    const signature = this.#text(this.#view.getUint8(this.#take(1)))
    const types = this.#types(signature)
    if (types.length !== 1) throw fault('a variant that is not of one type')
    return new Variant(signature, this.#value(types[0] as Type, this.#deeper(depth)))
  }

  #array(item: Type, depth: number): Value {
    const length = this.#view.getUint32(this.#take(4), this.#isLittle)
    if (length > longestArray) throw fault('an array that is too long')
    this.align(alignments[item.code])
    this.#need(length)
    const end = this.#at + length
    if (item.code === 'y') {
      this.#at = end
      return this.#bytes.slice(end - length, end)
    }
    const inside = this.#deeper(depth)
    const items: Value = item.code === '{' ? this.#entries(item.members, end, inside) : []
    while (this.#at < end) (items as Value[]).push(this.#value(item, inside))
    if (this.#at > end) throw fault('an array whose last item is cut off')
    return items
  }

  #entries([keys, values]: readonly Type[], end: number, depth: number): Dictionary {
    const keep = this.#keep
    const entries = new Map<Value, Value>()
    while (this.#at < end) {
      const left = this.#left
      const inside = this.#deeper(depth)
      this.align(alignments['{'])
      const key = this.#value(keys as Type, inside)
      this.#keep = typeof key === 'string' && Object.hasOwn(this.#keeps, key) ? this.#keeps[key] : undefined
      const value = this.#value(values as Type, inside)
      this.#keep = undefined
      entries.set(key, keep === undefined ? value : keep(key, value))
      this.#left = keep === undefined ? this.#left - 1 : left - keptValues
    }
    return entries
  }

  #members(types: readonly Type[], depth: number): Value[] {
    const inside = this.#deeper(depth)
    return types.map((type) => this.#value(type, inside))
  }

  #deeper(depth: number): number {
    if (depth >= deepest) throw fault('too many nested containers')
    return depth + 1
  }
}

const wrong = (what: string) => new HalError('EINVAL', `dbus: ${what}`)

const integers = {
  y: [0, 0xff],
  n: [-0x8000, 0x7fff],
  q: [0, 0xffff],
  i: [-0x80000000, 0x7fffffff],
  u: [0, 0xffffffff],
  h: [0, 0xffffffff]
} as const

/** Writes values, little-endian. Each method throws `EINVAL` for a value that is not of its type. */
export class Writer {
  #bytes = new Uint8Array(256)
  #view = viewOf(this.#bytes)
  #at = 0

  values(signature: string, values: readonly Value[]): void {
    const types = typesOf(signature)
    if (types.length !== values.length) throw wrong(`${signature} needs ${types.length} values, not ${values.length}`)
    for (const [at, type] of types.entries()) this.#value(type, values[at] as Value, 0)
  }

  align(to: number): void {
    const end = Math.ceil(this.#at / to) * to
    this.#room(end - this.#at)
    this.#at = end
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at)
  }

  /** Reserves bytes, which are zero. @returns their offset */
  #room(count: number): number {
    const at = this.#at
    this.#at += count
    if (this.#at > this.#bytes.length) {
      const more = new Uint8Array(2 * this.#at)
      more.set(this.#bytes)
      this.#bytes = more
      this.#view = viewOf(more)
    }
    return at
  }

  #value(type: Type, value: Value, depth: number): void {
    const { code } = type
    this.align(alignments[code])
    if (depth > deepest) throw wrong('too many nested containers')
    if (code in integers) this.#integer(code as keyof typeof integers, value)
    else if (code === 'x' || code === 't') this.#bigint(code, value)
    else if (code === 'd')
      this.#put(8, typeof value === 'number', (at) => this.#view.setFloat64(at, value as number, true))
    else if (code === 'b')
      this.#put(4, typeof value === 'boolean', (at) => this.#view.setUint32(at, value ? 1 : 0, true))
    else if (code === 's' || code === 'o' || code === 'g') this.#text(code, value)
    else if (code === 'v') this.#variant(value, depth)
    else if (code === 'a') this.#array((type as Type & { code: 'a' }).item, value, depth)
    else this.#members((type as Type & { code: '(' }).members, value, depth)
  }

  #put(count: number, fits: boolean, write: (at: number) => void): void {
    if (!fits) throw wrong('a value is not of its type')
    const at = this.#room(count)
    write(at)
  }

  #integer(code: keyof typeof integers, value: Value): void {
    const [least, most] = integers[code]
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      throw wrong(`${String(value)} is not of the type ${code}`)
    const number = value as number
    if (code === 'y') this.#put(1, true, (at) => this.#view.setUint8(at, number))
    else if (code === 'n' || code === 'q') this.#put(2, true, (at) => this.#view.setUint16(at, number & 0xffff, true))
    else this.#put(4, true, (at) => this.#view.setUint32(at, number >>> 0, true))
  }

  #bigint(code: 'x' | 't', value: Value): void {
    if (typeof value !== 'bigint') throw wrong(`${String(value)} is not of the type ${code}`)
    const fits = value === (code === 'x' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value))
    this.#put(8, fits, (at) => this.#view.setBigUint64(at, BigInt.asUintN(64, value), true))
  }

  #text(code: 's' | 'o' | 'g', value: Value): void {
    if (typeof value !== 'string' || value.includes('\0')) throw wrong('a text is not one, or contains NUL')
    if (code === 'o' && !isPath(value)) throw wrong(`${JSON.stringify(value)} is no object path`)
    if (code === 'g') typesOf(value)
    const content = utf8(value)
    if (code === 'g') this.#put(1, content.length <= longestSignature, (at) => this.#view.setUint8(at, content.length))
    else this.#put(4, true, (at) => this.#view.setUint32(at, content.length, true))
    const at = this.#room(content.length + 1)
    this.#bytes.set(content, at)
  }

  #variant(value: Value, depth: number): void {
    if (!(value instanceof Variant)) throw wrong('a variant is not one')
    this.#text('g', value.signature)
    this.#value(typeOf(value.signature), value.value, depth + 1)
  }

  #array(item: Type, value: Value, depth: number): void {
    const length = this.#room(4)
    this.align(alignments[item.code])
    const start = this.#at
    if (item.code === 'y') {
      if (!(value instanceof Uint8Array)) throw wrong('an array of bytes is not one')
      const at = this.#room(value.length)
      this.#bytes.set(value, at)
    } else {
      const isDictionary = item.code === '{'
      if (isDictionary ? !(value instanceof Map) : !Array.isArray(value)) throw wrong('an array is not one')
      for (const each of value as Iterable<Value>) this.#value(item, each, depth + 1)
    }
    if (this.#at - start > longestArray) throw wrong('an array is too long')
    this.#view.setUint32(length, this.#at - start, true)
  }

  #members(types: readonly Type[], value: Value, depth: number): void {
    if (!Array.isArray(value) || value.length !== types.length) throw wrong('a structure has other members')
    for (const [at, type] of types.entries()) this.#value(type, value[at], depth + 1)
  }
}
