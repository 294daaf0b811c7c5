import { fail } from '#runtime/contract'

/** A parsed `$expand`: which links, and through how many of them. */
export interface Expansion {
  /** `.` those outside of `Links`, `~` those in `Links`, `*` both. */
  readonly links: '.' | '~' | '*'
  readonly levels: number
}

/** A resource as its reader sees it; undefined if there is none, or not for this reader. */
export type Read = (uri: string) => object | undefined

/** Parses an `$expand` (DSP0266), e.g. `*($levels=2)`; undefined for anything else. */
export function parseExpand(text: string): Expansion | undefined {
  const found = /^([.~*])(?:\(\$levels=(\d{1,3})\))?$/.exec(text)
  const [, links, levels = '1'] = found ?? []
  return links === undefined ? undefined : { links: links as Expansion['links'], levels: Number(levels) }
}

/**
 * The resource with resources in place of the links to them. Links to a part of a resource (`#…`), and those that
 * cannot be read, stay links.
 *
 * @param most how many resources may be read
 * @throws MessageError 507 InsufficientStorage (DSP0266: too large an answer) when that is not enough
 */
export function expand(resource: object, expansion: Expansion, most: number, read: Read): object {
  let count = 0
  const take: Read = (uri) => {
    if (++count > most) fail(507, 'Base.InsufficientStorage')
    return read(uri)
  }
  return members(resource, expansion.levels, false)

  function members(object: object, levels: number, dependent: boolean): object {
    const result: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(object)) {
      result[name] = replace(value, levels, dependent || name === 'Links')
    }
    return result
  }

  function replace(value: unknown, levels: number, dependent: boolean): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((each) => replace(each, levels, dependent))
    const uri = target(value)
    if (uri === undefined) return members(value, levels, dependent)
    if (expansion.links === (dependent ? '.' : '~') || uri.includes('#')) return value
    const found = take(uri)
    if (found === undefined) return value
    return levels > 1 ? members(found, levels - 1, false) : found
  }
}

/** The URI that an object of nothing but `@odata.id` refers to. */
function target(value: object): string | undefined {
  const uri = (value as { '@odata.id'?: unknown })['@odata.id']
  return typeof uri === 'string' && Object.keys(value).length === 1 ? uri : undefined
}
