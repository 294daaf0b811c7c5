import { constant, list, object, type Parameters, type Properties } from '#runtime/schema'

/** The names of parameters that list their values. The protocol has another way to offer those that begin with `@`. */
type Listed<P> = {
  [K in keyof P]: K extends `@${string}`
    ? never
    : P[K] extends { enum: unknown } | { items: { enum: unknown } }
      ? K
      : never
}[keyof P]

const texts = list({ type: 'string' })

/**
 * An action with its parameters. A resource that offers it shows their allowable values, and a link to their description
 * if some parameters have no list of values. The runtime fills in all this: the handler says `'#Drive.SecureErase': {}`.
 */
export function action<const P extends Properties = Record<never, never>>(
  name: string,
  parameters?: { properties: P }
) {
  const all = Object.entries<Properties[string]>(parameters?.properties ?? {}).filter(([each]) => !each.startsWith('@'))
  const lists = all.flatMap(([each, property]) => {
    const { enum: values } = ('items' in property ? property.items : property) as { enum?: readonly string[] }
    return values === undefined ? [] : [[`${each}@Redfish.AllowableValues`, constant(texts, values)]]
  })
  const info = { type: 'string', format: 'uri-reference', readonly: true } as const
  return object(['target'], {
    '@Redfish.ActionInfo': lists.length < all.length ? constant(info, `/redfish/v1/ActionInfo/${name}/`) : info,
    target: { type: 'string', readonly: true },
    ...(Object.fromEntries(lists) as {
      readonly [K in Listed<P> & string as `${K}@Redfish.AllowableValues`]: typeof texts
    })
  })
}

/** The actions that a resource always offers, each with its parameters: `actions({ 'Chassis.Reset': resetParameters })`. */
export function actions<const A extends { readonly [name: string]: Partial<Parameters> }>(parameters: A) {
  const offers = Object.entries(parameters).map(([name, { properties = {} }]) => [
    `#${name}`,
    constant(action(name, { properties }), {})
  ])
  return constant(
    object(
      Object.fromEntries(offers) as {
        readonly [N in keyof A as `#${N & string}`]: ReturnType<
          typeof action<A[N] extends { properties: infer P extends Properties } ? P : Record<never, never>>
        >
      }
    ),
    {}
  )
}
