/** Actions by name: the parameters of each that take one of a few values, with these values. */
export type Actions = { readonly [name: string]: { readonly [parameter: string]: readonly string[] } }

type Allowable<P> = `${P & string}@Redfish.AllowableValues`

const values = { type: 'array', items: { type: 'string' }, readonly: true } as const
const target = { type: 'string', readonly: true } as const

/** The schema of the vendor's `Actions` object. */
export function vendorActions<const A extends Actions>(actions: A) {
  const properties = Object.entries(actions).map(([name, parameters]) => {
    const allowable = Object.keys(parameters).map((each) => [`${each}@Redfish.AllowableValues`, values])
    return [
      `#${name}`,
      { type: 'object', required: ['target'], properties: { target, ...Object.fromEntries(allowable) } }
    ]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as {
      readonly [N in keyof A as `#${N & string}`]: {
        readonly type: 'object'
        readonly required: readonly ['target']
        readonly properties: { readonly target: typeof target } & {
          readonly [P in keyof A[N] as Allowable<P>]: typeof values
        }
      }
    }
  } as const
}

/** The vendor's actions as a resource offers them: where they are, and what their parameters may be. */
export function offerActions<const A extends Actions>(uri: string, actions: A) {
  const offers = Object.entries(actions).map(([name, parameters]) => {
    const allowable = Object.entries(parameters).map(([each, list]) => [`${each}@Redfish.AllowableValues`, list])
    return [`#${name}`, { target: `${uri}/Actions/Oem/Vendor/${name}/`, ...Object.fromEntries(allowable) }]
  })
  return Object.fromEntries(offers) as {
    [N in keyof A as `#${N & string}`]: { target: string } & { [P in keyof A[N] as Allowable<P>]: readonly string[] }
  }
}
