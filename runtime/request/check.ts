import {
  type AnyValue,
  type ArrayProperty,
  display,
  fail,
  isSecret,
  type Message,
  MessageError,
  message,
  type ObjectProperty,
  type Parameters,
  type Property,
  pointerToken,
  type Schema,
  shorten
} from '#runtime/contract'
import type { Body } from './body.ts'
import { formats } from './formats.ts'

/** A checked body: members that the schema declares, with values of the types it declares. */
export type Checked = Record<string, unknown>

/**
 * The changes that a PATCH asks for (DSP0266). Nested objects hold only what the client named. In an array, `null`
 * removes an element and `{}` keeps one: both are left in their places for the handler. What is within an element takes
 * the place of the present one as a whole. Annotations (`@odata.etag`, …) are ignored, unless the schema declares them
 * writable.
 *
 * @throws MessageError 400 with every fault, each with a pointer to its property; EmptyJSON for `{}` or no body,
 *   NoOperation for a body that names nothing to change
 */
export function checkPatch(schema: Schema, body: Body | undefined): Checked {
  if (body === undefined || isEmpty(body)) fail(400, 'Base.EmptyJSON')
  const check = new Check('merge')
  const changes = check.members(schema, body, '#', false)
  check.end()
  if (!changes.some) fail(400, 'Base.NoOperation')
  return changes.result
}

/**
 * The values that a PUT sets in place of all present ones (DSP0266): like a PATCH, but arrays hold plain values, and an
 * empty object is a value.
 *
 * @throws MessageError 400 with every fault; EmptyJSON for `{}` or no body
 */
export function checkPut(schema: Schema, body: Body | undefined): Checked {
  if (body === undefined || isEmpty(body)) fail(400, 'Base.EmptyJSON')
  const check = new Check('replace')
  const values = check.members(schema, body, '#', false)
  check.end()
  return values.result
}

/**
 * The properties of a member that a POST to a collection creates (DSP0266).
 *
 * @throws MessageError 400 with every fault; EmptyJSON for no body where something is required
 */
export function checkCreate(parameters: Parameters, body: Body | undefined): Checked {
  if (body === undefined && parameters.required?.length) fail(400, 'Base.EmptyJSON')
  const check = new Check('create')
  const values = check.members(parameters, body ?? {}, '#', true)
  check.end()
  return values.result
}

/**
 * The parameters of an action (DSP0266). No body is as good as `{}`.
 *
 * @param action its name in messages, e.g. `ComputerSystem.Reset`
 * @throws MessageError 400 with every fault; EmptyJSON for no body where a parameter is required
 */
export function checkAction(parameters: Parameters, body: Body | undefined, action: string): Checked {
  if (body === undefined && parameters.required?.length) fail(400, 'Base.EmptyJSON')
  const check = new Check('create', action)
  const values = check.members(parameters, body ?? {}, '#', true)
  check.end()
  return values.result
}

type NameFault = 'Unknown' | 'Missing'
type ValueFault = 'ValueTypeError' | 'ValueFormatError' | 'ValueNotInList' | 'ValueOutOfRange'

/** One walk over a body, which collects the faults. */
class Check {
  readonly #faults: Message[] = []
  readonly #mode: 'merge' | 'replace' | 'create'
  readonly #action: string | undefined
  /** In how many arrays the walk is. */
  #arrays = 0

  constructor(mode: 'merge' | 'replace' | 'create', action?: string) {
    this.#mode = mode
    this.#action = action
  }

  end(): void {
    if (this.#faults.length > 0) throw new MessageError(400, this.#faults)
  }

  /**
   * @param writable whether all members are, since an object around them is
   * @returns the members, and whether there is some value among them
   */
  members(schema: ObjectProperty, body: Body, pointer: string, writable: boolean): { result: Checked; some: boolean } {
    const result: Checked = {}
    let some = false
    for (const [name, value] of Object.entries(body)) {
      const property = find(schema, name)
      const at = `${pointer}/${pointerToken(name)}`
      const own = property !== undefined && this.#writable(property, name, writable)
      if (name.includes('@') && !own) continue
      if (property === undefined) this.#reportName('Unknown', name, at)
      else if (own) {
        result[name] = this.value(property, value, name, at)
        if (!name.includes('@') && !(this.#mode === 'merge' && isEmpty(value))) some = true
      } else if (property.type === 'object' && hasWritable(property)) {
        if (isObject(value)) {
          const nested = this.members(property, value, at, false)
          result[name] = nested.result
          some ||= nested.some
        } else this.#report('ValueTypeError', name, at, value)
      } else this.#faults.push({ ...message('Base.PropertyNotWritable', shorten(name)), related: [at] })
    }
    if (writable && this.#mode === 'create') {
      for (const name of schema.required ?? []) {
        if (!Object.hasOwn(body, name)) this.#reportName('Missing', name, `${pointer}/${name}`)
      }
    }
    return { result, some }
  }

  /** The value, without what is to be ignored in it. */
  value(property: Property | AnyValue, value: unknown, name: string, at: string): unknown {
    if (value === null) {
      if (!isNullable(property)) this.#report('ValueTypeError', name, at, value)
    } else if (!hasType(property, value)) {
      this.#report('ValueTypeError', name, at, value)
    } else if (typeof value === 'string') {
      this.#string(property, value, name, at)
    } else if (typeof value === 'number') {
      const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } = property as {
        minimum?: number
        maximum?: number
      }
      if (value < minimum || value > maximum) this.#report('ValueOutOfRange', name, at, value)
    } else if (property.type === 'array') {
      return this.#array(property, value as unknown[], name, at)
    } else if (property.type === 'object') {
      return this.members(property, value as Body, at, true).result
    }
    return value
  }

  /** Within an object that is writable as a whole, what says that it is read-only is so, but in a new resource. */
  #writable(property: Property | AnyValue, name: string, inherited: boolean): boolean {
    if (!inherited) return property.readonly === false
    return this.#mode === 'create' || property.readonly !== true || name === '@odata.id'
  }

  #string(property: Property | AnyValue, value: string, name: string, at: string): void {
    if (property.type !== 'string') {
      if (notText.test(value)) this.#report('ValueFormatError', name, at, value)
      return
    }
    const { enum: list, minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = property
    const shown = () => display(value, isSecret(name))
    if (list !== undefined) {
      if (!list.includes(value)) this.#report('ValueNotInList', name, at, value)
    } else if (value.length > maxLength) {
      this.#faults.push({ ...message('Base.StringValueTooLong', shown(), String(maxLength)), related: [at] })
    } else if (value.length < minLength) {
      this.#faults.push({ ...message('Base.StringValueTooShort', shown(), String(minLength)), related: [at] })
    } else if (
      notText.test(value) ||
      (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) ||
      (format !== undefined && !formats[format].test(value))
    ) {
      this.#report('ValueFormatError', name, at, value)
    }
  }

  #array(property: ArrayProperty, elements: readonly unknown[], name: string, at: string): unknown[] {
    const { items, maxItems = Number.POSITIVE_INFINITY } = property
    if (elements.length > maxItems) {
      this.#faults.push({ ...message('Base.ArraySizeTooLong', shorten(name), String(maxItems)), related: [at] })
    }
    const merged = this.#mode === 'merge' && this.#arrays === 0
    this.#arrays += 1
    const checked = elements.map((element, index) =>
      merged && (element === null || isEmpty(element)) ? element : this.value(items, element, name, `${at}/${index}`)
    )
    this.#arrays -= 1
    return checked
  }

  #reportName(fault: NameFault, name: string, at: string): void {
    const own = shorten(name)
    const said =
      this.#action === undefined
        ? message(`Base.Property${fault}`, own)
        : message(`Base.ActionParameter${fault}`, this.#action, own)
    this.#faults.push({ ...said, related: [at] })
  }

  #report(fault: ValueFault, name: string, at: string, value: unknown): void {
    const shown = display(value, isSecret(name))
    const own = shorten(name)
    const said =
      this.#action === undefined
        ? message(`Base.Property${fault}`, shown, own)
        : message(`Base.ActionParameter${fault}`, shown, own, this.#action)
    this.#faults.push({ ...said, related: [at] })
  }
}

/** NUL, which C takes for the end of a text, and halves of surrogate pairs, which UTF-8 cannot write. */
const notText = /[\0\ud800-\udfff]/u

function find(schema: ObjectProperty, name: string): Property | AnyValue | undefined {
  if (Object.hasOwn(schema.properties, name)) return schema.properties[name]
  return name === '__proto__' ? undefined : schema.additionalProperties
}

function hasWritable(property: Property | AnyValue): boolean {
  if (property.readonly === false) return true
  if (property.type !== 'object') return false
  return (
    Object.values(property.properties).some(hasWritable) ||
    (property.additionalProperties !== undefined && hasWritable(property.additionalProperties))
  )
}

function isNullable(property: Property | AnyValue): boolean {
  return 'nullable' in property
    ? property.nullable === true
    : Array.isArray(property.type) && property.type.includes('null')
}

function hasType({ type }: Property | AnyValue, value: unknown): boolean {
  return typeof type === 'string' ? isOf(type, value) : type.some((each) => isOf(each, value))
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) || Math.abs(value as number) === Number.POSITIVE_INFINITY
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}
