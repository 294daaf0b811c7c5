import type { Infer, ObjectProperty, Property } from './schema.ts'

/** The value that a schema declares, with every member that has a default or is an object of such. */
export type Complete<S> = S extends { type: 'object'; properties: infer P }
  ? { -readonly [K in keyof P as P[K] extends { default: unknown } | { type: 'object' } ? K : never]: Complete<P[K]> }
  : Infer<S>

/**
 * A value that fits its schema, with the defaults in place of what it does not name; without a value, the defaults.
 * Members that have no default are left out.
 */
export function complete<const S extends ObjectProperty>(schema: S, value: object = {}): Complete<S> {
  const given = value as Readonly<Record<string, unknown>>
  const members = Object.entries<Property>(schema.properties).flatMap(([name, property]) => {
    if (property.type === 'object') return [[name, complete(property, given[name] as object | undefined)]]
    return 'default' in property ? [[name, given[name] ?? property.default]] : []
  })
  return Object.fromEntries(members)
}
