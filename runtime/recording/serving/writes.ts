import { mergeArray } from '#runtime/contract'
import type { Property, Schema } from '#runtime/schema'
import { isObject, linkIn, type Resource } from '../resources.ts'

export const anything = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const

/** Whether a PATCH of members that nothing declares as writable is stored or refused (`minnow record --writes`). */
export const writesOf = ['remember', 'refuse'] as const

export type OtherWrites = (typeof writesOf)[number]

/** Members that are read-only in every resource. */
const fixed = new Set(['Actions', 'Description', 'Id', 'Links', 'Members', 'Name', 'Status'])

/**
 * The members that clients may change in a resource that is only recorded: those that the service's own schema of its
 * type has as writeable, and those that the resource itself names in `@Redfish.WriteableProperties` (DSP0266 9.9). Where
 * others are remembered, also those of which neither says anything.
 *
 * @param own the service's schema, if it has one
 */
export function writeable(resource: Resource, others: OtherWrites, own?: Schema): Schema {
  return { type: 'object', properties: declared(resource, others, own?.properties ?? {}) }
}

function declared(resource: Resource, others: OtherWrites, own: Schema['properties']): Schema['properties'] {
  const annotation = resource['@Redfish.WriteableProperties']
  const named = new Set(Array.isArray(annotation) ? annotation : [])
  const remembers = others === 'remember' && !Array.isArray(annotation)
  const isOpen = (name: string, property: Property | undefined, value: unknown) =>
    named.has(name) || (remembers && property === undefined && !fixed.has(name) && linkIn(value) === undefined)
  const members = Object.entries(resource).filter(([name]) => !name.includes('@'))
  return Object.fromEntries(
    members.map(([name, value]): [string, Property] => {
      const property = Object.hasOwn(own, name) ? own[name] : undefined
      const isNested = !named.has(name) && linkIn(value) === undefined && !fixed.has(name)
      if (isNested && (property?.type === 'object' || (property === undefined && isObject(value))))
        return [name, nested(value, others, property as Schema | undefined)]
      if (isOpen(name, property, value)) return [name, inferred(value, resource[`${name}@Redfish.AllowableValues`])]
      return [name, property ?? { type: anything, readonly: true }]
    })
  )
}

function nested(value: unknown, others: OtherWrites, own: Schema | undefined): Property {
  return isObject(value) && own?.readonly !== false
    ? { type: 'object', properties: declared(value, others, own?.properties ?? {}) }
    : (own ?? { type: anything, readonly: true })
}

/** The declaration of a member from its value. */
function inferred(value: unknown, allowed: unknown): Property {
  const texts = Array.isArray(allowed) && allowed.every((each) => typeof each === 'string') ? allowed : undefined
  if (typeof value === 'string')
    return { type: 'string', nullable: true, readonly: false, ...(texts && { enum: texts as string[] }) }
  if (typeof value === 'number') return { type: 'number', nullable: true, readonly: false }
  if (typeof value === 'boolean') return { type: 'boolean', nullable: true, readonly: false }
  return { type: anything, readonly: false }
}

/** The members of a resource after a PATCH (DSP0266 7.7): those that it changes. */
export function patched(present: Resource, patch: Resource): Resource {
  return Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, after(present[name], value)]))
}

function after(present: unknown, wanted: unknown): unknown {
  if (Array.isArray(wanted)) return mergeArray(Array.isArray(present) ? present : [], wanted)
  return isObject(present) && isObject(wanted) ? { ...present, ...patched(present, wanted) } : wanted
}

/** The members that a PATCH names, with slashes between a member and its own. */
export function namesIn(patch: Resource): string[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const inner = isObject(value) ? namesIn(value) : []
    return inner.length === 0 ? [name] : inner.map((each) => `${name}/${each}`)
  })
}
