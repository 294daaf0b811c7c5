import { actionInfo } from './action-info.ts'

/**
 * Actions by name: the parameters of each, with the values that one takes, or with its type where these are not listed.
 * `@Redfish.ActionInfo` describes the latter.
 */
export type Actions = { readonly [name: string]: { readonly [parameter: string]: readonly string[] | 'boolean' } }

type Allowable<P> = `${P & string}@Redfish.AllowableValues`

type Listed<A> = { [P in keyof A]: A[P] extends readonly string[] ? P : never }[keyof A]

const values = { type: 'array', items: { type: 'string' }, readonly: true } as const
const text = { type: 'string', readonly: true } as const
const described = { target: text, '@Redfish.ActionInfo': { ...text, format: 'uri-reference' } } as const

/** The schema of the vendor's `Actions` object. */
export function vendorActions<const A extends Actions>(actions: A) {
  const properties = Object.entries(actions).map(([name, parameters]) => {
    const allowable = listed(parameters).map(([each]) => [`${each}@Redfish.AllowableValues`, values])
    return [
      `#${name}`,
      { type: 'object', required: ['target'], properties: { ...described, ...Object.fromEntries(allowable) } }
    ]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as {
      readonly [N in keyof A as `#${N & string}`]: {
        readonly type: 'object'
        readonly required: readonly ['target']
        readonly properties: typeof described & {
          readonly [P in Listed<A[N]> as Allowable<P>]: typeof values
        }
      }
    }
  } as const
}

/** The vendor's actions as a resource offers them: what their parameters may be. */
export function offerActions<const A extends Actions>(actions: A) {
  const offers = Object.entries(actions).map(([name, parameters]) => {
    const lists = listed(parameters)
    const info = lists.length < Object.keys(parameters).length ? actionInfo(name) : {}
    const allowable = lists.map(([each, list]) => [`${each}@Redfish.AllowableValues`, list])
    return [`#${name}`, { ...info, ...Object.fromEntries(allowable) }]
  })
  return Object.fromEntries(offers) as {
    [N in keyof A as `#${N & string}`]: { [P in Listed<A[N]> as Allowable<P>]: A[N][P] }
  }
}

function listed(parameters: Actions[string]) {
  return Object.entries(parameters).filter(([, list]) => list !== 'boolean')
}
