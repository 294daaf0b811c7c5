import type { ShownMessage } from './failure.ts'

/**
 * The field that a message is about: by the properties that it says it is about (DSP0268, `RelatedProperties`); without
 * them by an argument that is the name of a property. Undefined for a message about none, or about one of several.
 *
 * @param properties the path of each field's property in the resource, as `VLAN/VLANId`; empty for one that is about none
 */
export function fieldOf<N extends string>(
  { RelatedProperties: related = [], MessageArgs: args = [] }: ShownMessage,
  properties: Readonly<Record<N, string>>
): N | undefined {
  const fields = (Object.entries<string>(properties) as [N, string][]).filter(([, path]) => path !== '')
  const isWithin = (path: string) => related.some((each) => `${each}/`.startsWith(`#/${path}/`))
  const isNamed = (path: string) => args.includes(path.slice(path.lastIndexOf('/') + 1))
  const found = fields.filter(([, path]) => (related.length > 0 ? isWithin(path) : isNamed(path)))
  return found.length === 1 ? found[0]?.[0] : undefined
}
