import type { Individual } from '#data/board'
import { formats, pointerToken } from '#runtime/schema'
import { holds, mapsByTarget, sourcesFirst } from './dependencies.ts'
import type { Attribute, AttributeRegistry, Dependency, Value, Values } from './registry.ts'
import { checkAttribute, type Fault, notWritable } from './values.ts'

/** A message of a transfer. */
export type TransferMessage =
  | { readonly key: 'Base.Success'; readonly args: readonly []; readonly related?: undefined }
  | (Fault & { readonly related: readonly string[] })

/** The values that a registry begins with. @param individual of one of many machines, which has its own numbers */
export function defaults(registry: AttributeRegistry, individual?: Individual): Values {
  const { values, numbers } = defaultsOf(registry)
  if (individual === undefined) return values
  const own = numbers.map((name) => {
    const value = values[name] as string
    return [name, formats.uuid.test(value) ? individual.uuid(value) : individual.serialNumber(value)]
  })
  return { ...values, ...Object.fromEntries(own) }
}

interface Defaults {
  readonly values: Values
  /** The names of those that are numbers of one machine. */
  readonly numbers: readonly string[]
}

/** Once for all machines of a fleet. */
const known = new WeakMap<AttributeRegistry, Defaults>()

function defaultsOf(registry: AttributeRegistry): Defaults {
  const found = known.get(registry)
  if (found !== undefined) return found
  const attributes = registry.RegistryEntries.Attributes
  const isNumber = ({ DefaultValue, Immutable, IsSystemUniqueProperty }: Attribute) =>
    Immutable && IsSystemUniqueProperty && typeof DefaultValue === 'string'
  const made = {
    values: Object.fromEntries(attributes.map((each) => [each.AttributeName, each.DefaultValue])),
    numbers: attributes.filter(isNumber).map((each) => each.AttributeName)
  }
  known.set(registry, made)
  return made
}

/** The values after Bios.ResetBios: what can be set has its default again, what only informs stays. */
export function resetValues(registry: AttributeRegistry, current: Values): Values {
  const informs = registry.RegistryEntries.Attributes.filter((each) => each.ReadOnly || each.Immutable)
  const kept = informs.map((each) => each.AttributeName).filter((name) => Object.hasOwn(current, name))
  return evaluate(registry, Object.fromEntries(kept.map((name) => [name, current[name] as Value]))).values
}

/** Attributes as the dependencies leave them. */
export interface Evaluation {
  /** Definitions by name in the order of the registry, with the properties that hold now. */
  readonly attributes: ReadonlyMap<string, Attribute>
  /** A value for each attribute of the registry, and for no other. */
  readonly values: Values
  /** The faults of pending values, by attribute. */
  readonly faults: ReadonlyMap<string, Fault>
}

/**
 * The attributes as the dependencies of a registry change them, given these values and defaults for the rest.
 *
 * @param pending values that a transfer would set
 */
export function evaluate(registry: AttributeRegistry, values: Values, pending: Values = {}): Evaluation {
  const settled = settle(registry, values, pending)
  return { ...settled, values: Object.fromEntries(settled.values) }
}

/**
 * The transfer of the pending area at a host reset. An attribute is judged by what the dependencies make of it once
 * those that it depends on have their new values; one that a dependency sets to something else is not writable.
 *
 * @returns the new current area, and `Success` followed by a message for each pending value that was not applied, in
 *   the order of the pending area
 */
export function transfer(
  registry: AttributeRegistry,
  current: Values,
  pending: Values
): { current: Values; messages: TransferMessage[] } {
  const { values, faults } = settle(registry, current, pending)
  const messages: TransferMessage[] = [{ key: 'Base.Success', args: [] }]
  for (const name of Object.keys(pending)) {
    const fault = values.has(name) ? faults.get(name) : checkAttribute(name, undefined, null)
    if (fault !== undefined) messages.push({ ...fault, related: [`#/Attributes/${pointerToken(name)}`] })
  }
  return { current: Object.fromEntries(values), messages }
}

/**
 * Goes once through the attributes, each after those that its dependencies read. Where attributes depend on one another
 * in a circle they are taken one after the other, as someone at the setup screen would change them: each sees what is
 * not yet its turn as it was.
 */
function settle(registry: AttributeRegistry, current: Values, pending: Values) {
  const { Attributes } = registry.RegistryEntries
  const { maps, order } = courseOf(registry)
  const attributes = new Map(Attributes.map((each) => [each.AttributeName, each]))
  const values = new Map(Attributes.map((each) => [each.AttributeName, valueIn(each, current)]))
  const faults = new Map<string, Fault>()

  const applies = (map: Dependency['Dependency']) => holds(map, attributes, values)

  for (const name of order) {
    if (!attributes.has(name)) continue
    const own = maps.get(name) ?? []
    for (const map of own) {
      if (map.MapToProperty === 'CurrentValue' || !applies(map)) continue
      attributes.set(name, { ...(attributes.get(name) as Attribute), [map.MapToProperty]: map.MapToValue })
    }
    const set = (value: Value) => {
      values.set(name, value)
      for (const map of own) if (map.MapToProperty === 'CurrentValue' && applies(map)) values.set(name, map.MapToValue)
      return values.get(name)
    }
    const before = values.get(name) as Value
    if (Object.hasOwn(pending, name)) {
      const value = pending[name] as Value
      const fault = checkAttribute(name, attributes.get(name), value)
      if (fault === undefined && set(value) === value) continue
      faults.set(name, fault ?? notWritable(name))
    }
    set(before)
  }
  return { attributes, values, faults }
}

/** By registry: thousands of machines boot by the same one. */
const courses = new WeakMap<AttributeRegistry, ReturnType<typeof courseThrough>>()

function courseOf(registry: AttributeRegistry) {
  const known = courses.get(registry)
  if (known !== undefined) return known
  const course = courseThrough(registry)
  courses.set(registry, course)
  return course
}

/** The maps of dependencies by the attribute that they change, and the attributes in the order of their turns. */
function courseThrough({ RegistryEntries: { Attributes, Dependencies } }: AttributeRegistry) {
  const maps = mapsByTarget(Dependencies)
  const names = Attributes.map((each) => each.AttributeName)
  return { maps, order: [...sourcesFirst(names, maps)] }
}

function valueIn({ AttributeName, Type, DefaultValue }: Attribute, values: Values): Value {
  if (Type === 'Password') return null
  return Object.hasOwn(values, AttributeName) ? (values[AttributeName] as Value) : DefaultValue
}
