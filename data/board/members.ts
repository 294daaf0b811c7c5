import type { Immutable, Infer, ObjectProperty, Property } from '#runtime/schema'

/** Members that board files have again and again. */

export const text = { type: 'string' } as const
export const number = { type: 'number' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const uuid = { type: 'string', format: 'uuid' } as const
/** The id of a part that the board lists elsewhere: `idIn('chassis')`. */
export const idIn = (inventory: string) => ({ type: 'string', memberOf: inventory }) as const
/** Integers with dots: `1.62`. */
export const version = { type: 'string', pattern: '^\\d{1,9}(\\.\\d{1,9}){0,3}$' } as const

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

/** The devices that back ends are of. */
export type Device =
  | (
      | 'power'
      | 'bios'
      | 'bootOverride'
      | 'nvram'
      | 'console'
      | 'firmware'
      | 'postCodes'
      | 'eventLog'
      | 'watchdog'
      | 'dumps'
    )
  | ('indicator' | 'sensors' | 'powerLimit')
  | ('port' | 'network' | 'media' | 'drive' | 'users' | 'certificates' | 'inventory')

/** The options that back ends take, by device and type; those of a device that is not named may be anything. */
export type BackendOptions = {
  readonly [D in Device]?: { readonly [type: string]: { readonly options: ObjectProperty } }
}

/** A back end and its options, e.g. `{ "type": "sim", "onTime": 500 }`. */
export type Backend = Immutable<Infer<ReturnType<BackendSchema>>>

export type BackendSchema = ReturnType<typeof backendSchema>

export const backendSchema = (declared: BackendOptions) => (device: Device) => {
  const backends = declared[device]
  const options = Object.entries(backends ?? {}).map(([type, { options }]) => [type, options] as const)
  return {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', ...(backends && { enum: Object.keys(backends) }) } },
    additionalProperties: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] },
    variants: Object.fromEntries(options)
  } as const
}
