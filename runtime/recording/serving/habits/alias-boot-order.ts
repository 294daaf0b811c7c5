import { fail, mergeArray } from '#runtime/contract'
import type { Schema } from '#runtime/schema'
import { isObject, type Resource, within } from '../../resources.ts'

const name = 'AliasBootOrder'

/** The aliases in a boot order, such as `Pxe`; undefined if a system has none. */
function aliasesIn(system: unknown): string[] | undefined {
  const aliases = within(system, ['Boot', name])
  return Array.isArray(aliases) && aliases.every((each) => typeof each === 'string') ? aliases : undefined
}

/** The properties of a system, with `AliasBootOrder` if it was recorded. */
export function withAliasProperty(properties: Schema['properties'], recorded: Resource): Schema['properties'] {
  const { Boot } = properties
  if (aliasesIn(recorded) === undefined || Boot?.type !== 'object') return properties
  const boot = Boot as Schema
  const order = { type: 'array', items: { type: 'string', nullable: true }, readonly: false } as const
  return { ...properties, Boot: { ...boot, properties: { ...boot.properties, [name]: order } } }
}

/**
 * A system whose `AliasBootOrder` is that of its `BootOrder`. An alias without a boot option keeps its place.
 *
 * @param aliases of boot options by their references
 */
export function withAliasOrder(system: Resource, aliases: ReadonlyMap<string, string>): Resource {
  const before = aliasesIn(system)
  const order = orderOf(system)
  if (before === undefined || order.length === 0) return system
  const now = new Set(order.flatMap((each) => aliases.get(each) ?? []).filter((each) => before.includes(each)))
  const rest = [...now]
  const after = before.map((each) => (now.has(each) ? rest.shift()! : each))
  return { ...system, Boot: { ...(system.Boot as Resource), [name]: after } }
}

/**
 * A change of a system with a `BootOrder` instead of its `AliasBootOrder`: boot options of an alias that it leaves out
 * come last.
 *
 * @param present the system before
 * @returns the change, and the new aliases
 * @throws MessageError 400 for aliases that the system does not have, or has already, and for a `BootOrder` beside them
 */
export function withoutAliasOrder(
  change: Resource,
  present: Resource,
  aliases: ReadonlyMap<string, string>
): { change: Resource; wanted: readonly string[] | undefined } {
  const given = within(change, ['Boot', name])
  const before = aliasesIn(present)
  if (!isObject(change.Boot) || !Array.isArray(given) || before === undefined) return { change, wanted: undefined }
  const { [name]: _, ...boot } = change.Boot
  const wanted: string[] = mergeArray(before, given)
  const unknown = wanted.find((each) => !before.includes(each))
  if (unknown !== undefined) fail(400, 'Base.PropertyValueNotInList', unknown, name)
  if (new Set(wanted).size < wanted.length) fail(400, 'Base.PropertyValueIncorrect', name, wanted.join(', '))
  if (boot.BootOrder !== undefined) fail(400, 'Base.PropertyValueConflict', name, 'BootOrder')
  const place = (reference: string) => wanted.indexOf(aliases.get(reference) ?? '') + 1 || wanted.length + 1
  const order = orderOf(present).toSorted((one, other) => place(one) - place(other))
  const { Boot: __, ...others } = change
  const rest = { ...boot, ...(order.length > 0 && { BootOrder: order }) }
  return { change: Object.keys(rest).length > 0 ? { ...others, Boot: rest } : others, wanted }
}

function orderOf(system: Resource): string[] {
  const order = within(system, ['Boot', 'BootOrder'])
  return Array.isArray(order) ? order : []
}
