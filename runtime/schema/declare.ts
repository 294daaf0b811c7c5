import type { Derived, Infer, Property } from './schema.ts'

/** Short forms of declarations. */

export type Properties = { readonly [name: string]: Property }

/**
 * An object: `object({ Label: text })`, or with the names of members that it must have before them,
 * `object(['Label'], { Label: text, Depth: integer })`.
 */
export function object<const P extends Properties>(properties: P): { readonly type: 'object'; readonly properties: P }
export function object<const P extends Properties, const R extends keyof P & string>(
  required: readonly R[],
  properties: P
): { readonly type: 'object'; readonly required: readonly R[]; readonly properties: P }
export function object(...declared: [Properties] | [readonly string[], Properties]) {
  if (declared.length === 1) return { type: 'object', properties: declared[0] }
  return { type: 'object', required: declared[0], properties: declared[1] }
}

/** A property with the same value in every answer, `constant(flag, true)`. The members of an object may be constants too. */
export const constant = <const P extends Property, const V extends Infer<P, Derived>>(property: P, value: V) =>
  ({ ...property, constant: value }) as const

export const list = <const P extends Property>(items: P) => ({ type: 'array', items }) as const
