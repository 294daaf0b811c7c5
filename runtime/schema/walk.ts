import { formats } from './formats.ts'
import type { AnyValue, ArrayProperty, ObjectProperty, Property } from './schema.ts'

/** A checked value: members that the schema declares, with values of the types it declares. */
export type Checked = Record<string, unknown>

/** One thing that is wrong with a value. */
export interface Fault {
  readonly kind:
    | 'Unknown'
    | 'Missing'
    | 'NotWritable'
    | 'ValueTypeError'
    | 'ValueFormatError'
    | 'ValueNotInList'
    | 'ValueOutOfRange'
    | 'TooLong'
    | 'TooShort'
    | 'TooMany'
  /** The path from the whole value: names of members, numbers of elements. */
  readonly path: readonly string[]
  /** Of the member that it is in. */
  readonly name: string
  /** The declaration at a place, or undefined. */
  readonly property?: Property | undefined
  readonly value?: unknown
}

/**
 * How a value is meant: as changes of present values (PATCH), in place of them (PUT), as a new resource or parameters
 * of an action, or as a file. The others are of a protocol: annotations that are not declared are ignored in them, and
 * the first two hold what is writable alone.
 */
export type Meaning = 'merge' | 'replace' | 'create' | 'file'

/** The result of a walk: the value without its ignored members, and all faults. */
export interface Validation {
  readonly result: unknown
  /** Whether a PATCH changes anything. */
  readonly some: boolean
  readonly faults: readonly Fault[]
}

/** Checks a value against its schema, wherever it comes from. */
export function walk(schema: ObjectProperty, value: unknown, meaning: Meaning): Validation {
  const walker = new Walker(meaning)
  if (!isObject(value)) return { result: walker.value(schema, value, ''), some: false, faults: walker.faults }
  return { ...walker.members(schema, value, walker.isWhole), faults: walker.faults }
}

class Walker {
  readonly faults: Fault[] = []
  /** Whether all of the value is given: read-only members count, and what is required may be missed. */
  readonly isWhole: boolean
  readonly #meaning: Meaning
  /** Where the walk is. */
  readonly #path: string[] = []
  /** In how many arrays the walk is. */
  #arrays = 0

  constructor(meaning: Meaning) {
    this.#meaning = meaning
    this.isWhole = meaning === 'create' || meaning === 'file'
  }

  /**
   * @param writable whether all members are, since an object around them is
   * @returns the members, and whether there is some value among them
   */
  members(
    schema: ObjectProperty,
    value: Readonly<Record<string, unknown>>,
    writable: boolean
  ): { result: Checked; some: boolean } {
    // A prototype would take what is assigned to a member named `__proto__`.
    const result: Checked = Object.create(null)
    let some = false
    const { required = [], ...declared } = variantOf(schema, value)
    for (const [name, each] of Object.entries(value)) {
      if (each === undefined) continue
      const property = find(declared, name, this.#meaning)
      const own = property !== undefined && this.#writable(property, name, writable)
      if (name.includes('@') && !own && this.#meaning !== 'file') continue
      this.#path.push(name)
      if (property === undefined) this.#report('Unknown', name)
      else if (own) {
        result[name] = this.value(property, each, name)
        if (!name.includes('@') && !(this.#meaning === 'merge' && isEmpty(each))) some = true
      } else if (property.type === 'object' && hasWritable(property)) {
        if (isObject(each)) {
          const nested = this.members(property, each, false)
          result[name] = nested.result
          some ||= nested.some
        } else this.#report('ValueTypeError', name, property, each)
      } else this.#report('NotWritable', name)
      this.#path.pop()
    }
    // An element of an array replaces the present one as a whole, but for what clients do not write.
    if (writable && (this.isWhole || this.#arrays > 0)) {
      for (const name of required) {
        const property = declared.properties[name]
        if (property !== undefined && !this.#writable(property, name, writable)) continue
        if (Object.hasOwn(value, name) && value[name] !== undefined) continue
        this.#path.push(name)
        this.#report('Missing', name)
        this.#path.pop()
      }
    }
    return { result, some }
  }

  /** The value, without what is to be ignored in it. */
  value(property: Property, value: unknown, name: string): unknown {
    if (value === null) {
      if (!isNullable(property)) this.#report('ValueTypeError', name, property, value)
    } else if (!hasType(property, value)) {
      this.#report('ValueTypeError', name, property, value)
    } else if (typeof value === 'string') {
      this.#string(property, value, name)
    } else if (typeof value === 'number') {
      const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } = property as {
        minimum?: number
        maximum?: number
      }
      if (value < minimum || value > maximum) this.#report('ValueOutOfRange', name, property, value)
    } else if (property.type === 'array') {
      return this.#array(property, value as unknown[], name)
    } else if (property.type === 'object') {
      return this.members(property, value as Checked, true).result
    }
    return value
  }

  /** Within an object that is writable as a whole, what says that it is read-only is so, but in a new resource. */
  #writable(property: Property, name: string, inherited: boolean): boolean {
    if (!inherited) return property.readonly === false
    return this.isWhole || property.readonly !== true || name === '@odata.id'
  }

  #string(property: Property, value: string, name: string): void {
    if (property.type !== 'string') {
      if (notText.test(value)) this.#report('ValueFormatError', name, property, value)
      return
    }
    const { enum: list, minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = property
    if (list !== undefined) {
      if (!list.includes(value)) this.#report('ValueNotInList', name, property, value)
    } else if (value.length > maxLength) {
      this.#report('TooLong', name, property, value)
    } else if (value.length < minLength) {
      this.#report('TooShort', name, property, value)
    } else if (
      notText.test(value) ||
      (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) ||
      (format !== undefined && !formats[format].test(value))
    ) {
      this.#report('ValueFormatError', name, property, value)
    }
  }

  #array(property: ArrayProperty, elements: readonly unknown[], name: string): unknown[] {
    const { items, maxItems = Number.POSITIVE_INFINITY } = property
    if (elements.length > maxItems) this.#report('TooMany', name, property, elements)
    const merged = this.#meaning === 'merge' && this.#arrays === 0
    this.#arrays += 1
    const checked = elements.map((element, index) => {
      if (merged && (element === null || isEmpty(element))) return element
      this.#path.push(String(index))
      const found = this.value(items, element, name)
      this.#path.pop()
      return found
    })
    this.#arrays -= 1
    return checked
  }

  #report(kind: Fault['kind'], name: string, property?: Property, value?: unknown): void {
    this.faults.push({ kind, path: [...this.#path], name, property, value })
  }
}

/** NUL, which C takes for the end of a text, and halves of surrogate pairs, which UTF-8 cannot write. */
const notText = /[\0\ud800-\udfff]/u

/** The declaration of the variant that a value names by its `type`. */
function variantOf(schema: ObjectProperty, { type }: Readonly<Record<string, unknown>>): ObjectProperty {
  const { variants = {}, required = [], properties } = schema
  if (typeof type !== 'string' || !Object.hasOwn(variants, type)) return schema
  const variant = variants[type] as ObjectProperty
  return {
    ...variant,
    required: [...required, ...(variant.required ?? [])],
    properties: { ...properties, ...variant.properties }
  }
}

/**
 * In what clients send, a member that would be an object's prototype has no meaning; a file may have a part of that
 * name.
 */
function find(schema: ObjectProperty, name: string, meaning: Meaning): Property | undefined {
  if (Object.hasOwn(schema.properties, name)) return schema.properties[name]
  return name === '__proto__' && meaning !== 'file' ? undefined : schema.additionalProperties
}

function hasWritable(property: Property): boolean {
  if (property.readonly === false) return true
  if (property.type !== 'object') return false
  return (
    Object.values(property.properties).some(hasWritable) ||
    (property.additionalProperties !== undefined && hasWritable(property.additionalProperties))
  )
}

function isNullable(property: Property): boolean {
  return 'nullable' in property
    ? property.nullable === true
    : Array.isArray(property.type) && property.type.includes('null')
}

function hasType({ type }: Property, value: unknown): boolean {
  return typeof type === 'string' ? isOf(type, value) : (type as AnyValue['type']).some((each) => isOf(each, value))
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) || Math.abs(value as number) === Number.POSITIVE_INFINITY
  if (type === 'number') return typeof value === 'number' && !Number.isNaN(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}
