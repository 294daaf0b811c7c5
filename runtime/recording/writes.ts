import { mergeArray } from '#runtime/contract'
import type { Property, Schema } from '#runtime/schema'
import { isObject, type Resource } from './resources.ts'

const anything = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const

/**
 * The members that clients may change in a resource that is only recorded: those that the service's own schema of its
 * type has as writeable, and those that the resource itself names in `@Redfish.WriteableProperties` (DSP0266 9.9).
 *
 * @param own the service's schema, if it has one
 */
export function writeable(resource: Resource, own?: Schema): Schema {
  return { type: 'object', properties: declared(resource, own?.properties ?? {}) }
}

function declared(resource: Resource, own: Schema['properties']): Schema['properties'] {
  const annotation = resource['@Redfish.WriteableProperties']
  const named = new Set(Array.isArray(annotation) ? annotation : [])
  const members = Object.entries(resource).filter(([name]) => !name.includes('@'))
  return Object.fromEntries(
    members.map(([name, value]): [string, Property] => {
      const property = Object.hasOwn(own, name) ? own[name] : undefined
      if (named.has(name)) return [name, inferred(value, resource[`${name}@Redfish.AllowableValues`])]
      if (property?.type === 'object' || (property === undefined && isObject(value)))
        return [name, nested(value, property as Schema | undefined)]
      return [name, property ?? { type: anything, readonly: true }]
    })
  )
}

function nested(value: unknown, own: Schema | undefined): Property {
  return isObject(value) && own?.readonly !== false
    ? { type: 'object', properties: declared(value, own?.properties ?? {}) }
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
