import { display, shorten } from '#runtime/schema'
import { matches } from './expressions.ts'
import type { Attribute, AttributeRegistry } from './registry.ts'

/** The fault of a value: a message of the Base registry with its arguments. */
export interface Fault {
  readonly key:
    | 'Base.PropertyUnknown'
    | 'Base.PropertyNotWritable'
    | 'Base.PropertyValueTypeError'
    | 'Base.PropertyValueNotInList'
    | 'Base.PropertyValueOutOfRange'
    | 'Base.PropertyValueFormatError'
  readonly args: readonly string[]
}

/** The most UTF-16 units of a string, whatever a registry allows: expressions are tested on no more than these. */
export const longestValue = 255

/** Passwords that Bios.ChangePassword knows. Each has an attribute, e.g. `UserPassword`, which says its bounds. */
export const biosPasswords = ['Administrator', 'User'] as const

/**
 * The fault of a value for an attribute, or undefined.
 *
 * @param definition as the registry has it, or as `evaluate` leaves it; undefined for a name that is in no registry
 */
export function checkAttribute(name: string, definition: Attribute | undefined, value: unknown): Fault | undefined {
  if (definition === undefined) return { key: 'Base.PropertyUnknown', args: [shorten(name)] }
  if (definition.ReadOnly || definition.GrayOut || definition.Immutable) return notWritable(name)
  const kind = valueFault(definition, value)
  return kind && { key: `Base.PropertyValue${kind}`, args: [display(value, definition.Type === 'Password'), name] }
}

/** True when Bios.ChangePassword may set this password. The empty one removes the password. */
export function acceptsPassword(
  registry: AttributeRegistry,
  name: (typeof biosPasswords)[number],
  password: string
): boolean {
  const attribute = `${name}Password`
  const definition = registry.RegistryEntries.Attributes.find((each) => each.AttributeName === attribute)
  if (definition?.Type !== 'Password') return false
  return password === '' || valueFault(definition, password) === undefined
}

/** The ends of the keys of messages about values: `Base.PropertyValueTypeError` and so on. */
export type ValueFault = 'TypeError' | 'NotInList' | 'OutOfRange' | 'FormatError'

/** The fault of a value for an attribute, whoever sets it. */
export function valueFault(definition: Attribute, value: unknown): ValueFault | undefined {
  switch (definition.Type) {
    case 'Boolean':
      return typeof value === 'boolean' ? undefined : 'TypeError'
    case 'Enumeration':
      if (typeof value !== 'string') return 'TypeError'
      return definition.Value?.some((each) => each.ValueName === value) ? undefined : 'NotInList'
    case 'Integer':
      return integerFault(definition, value)
    case 'String':
    case 'Password':
      return stringFault(definition, value)
  }
}

function integerFault(definition: Attribute, value: unknown): ValueFault | undefined {
  const { LowerBound = Number.MIN_SAFE_INTEGER, UpperBound = Number.MAX_SAFE_INTEGER, ScalarIncrement = 0 } = definition
  if (typeof value !== 'number') return 'TypeError'
  // JSON.parse makes infinity of a number that is too large.
  if (!Number.isInteger(value) && Number.isFinite(value)) return 'TypeError'
  if (!(value >= LowerBound && value <= UpperBound)) return 'OutOfRange'
  if (ScalarIncrement > 0 && (value - LowerBound) % ScalarIncrement !== 0) return 'OutOfRange'
  return matches(definition, String(value)) ? undefined : 'FormatError'
}

function stringFault(definition: Attribute, value: unknown): ValueFault | undefined {
  const { MinLength = 0, MaxLength = longestValue } = definition
  if (typeof value !== 'string') return 'TypeError'
  if (value.length < MinLength || value.length > Math.min(MaxLength, longestValue)) return 'FormatError'
  return matches(definition, value) ? undefined : 'FormatError'
}

export function notWritable(name: string): Fault {
  return { key: 'Base.PropertyNotWritable', args: [name] }
}
