import type { Immutable, Infer, Property } from '#runtime/contract'

/** Members that board files have again and again. */

export const text = { type: 'string' } as const
export const number = { type: 'number' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const uuid = { type: 'string', format: 'uuid' } as const

export const list = <const P extends Property>(items: P) => ({ type: 'array', items }) as const

/** Things by their ids. */
export const map = <const P extends Property>(thing: P) =>
  ({ type: 'object', properties: {}, additionalProperties: thing }) as const

type Members = { readonly [name: string]: Property }

/** An object with all of these members, and some of the optional ones. */
export function object<const M extends Members, const O extends Members = Record<never, Property>>(
  members: M,
  optional?: O
) {
  const required = Object.keys(members) as readonly (keyof M & string)[]
  return { type: 'object', required, properties: { ...members, ...optional } as M & O } as const
}

export type Backend = Immutable<Infer<ReturnType<typeof backend>>>

/**
 * A back end and its options, e.g. `{ "type": "sim", "onTime": 500 }`. What types there are of a device, and which
 * options each takes, the back ends say themselves.
 */
export const backend = <const Device extends string>(title: Device) =>
  ({
    title,
    type: 'object',
    required: ['type'],
    properties: { type: text },
    additionalProperties: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] }
  }) as const
