import { fail } from '#runtime/contract'
import type { Work } from './turns.ts'

/** A parsed `$expand`: which links, and through how many of them. */
export interface Expansion {
  /** `.` those outside of `Links`, `~` those in `Links`, `*` both. */
  readonly links: '.' | '~' | '*'
  readonly levels: number
}

/** A resource as its reader sees it; undefined if it does not exist, or not for this reader. */
export type Read = (uri: string) => object | undefined

/** Parses an `$expand` (DSP0266), e.g. `*($levels=2)`; undefined for anything else. */
export function parseExpand(text: string): Expansion | undefined {
  const found = /^([.~*])(?:\(\$levels=(\d{1,3})\))?$/.exec(text)
  const [, links, levels = '1'] = found ?? []
  return links === undefined ? undefined : { links: links as Expansion['links'], levels: Number(levels) }
}

/** A resource with others in it, and how JSON of it is written. */
export interface Expanded {
  readonly resource: object
  /** The text of a value that consists of properties of the resource. */
  write(value: unknown): string
}

/**
 * The resource with resources in place of the links to them. Links to a part of a resource (`#…`), and those that
 * cannot be read, stay links. The text of each resource is written once, when all that is in it has been.
 *
 * @param most how many resources may be read
 * @throws MessageError 507 InsufficientStorage (DSP0266: too large an answer) when that is not enough
 */
export function* expand(resource: object, expansion: Expansion, most: number, read: Read): Work<Expanded> {
  const texts = new Map<object, string>()
  let count = 0
  return { resource: yield* members(resource, expansion.levels, false), write }

  function* members(object: object, levels: number, dependent: boolean): Work<object> {
    const result: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(object)) {
      result[name] =
        typeof value === 'object' && value !== null
          ? yield* replace(value, levels, dependent || name === 'Links')
          : value
    }
    return result
  }

  function* replace(value: object, levels: number, dependent: boolean): Work<unknown> {
    if (Array.isArray(value)) {
      const result: unknown[] = []
      for (const each of value) {
        result.push(typeof each === 'object' && each !== null ? yield* replace(each, levels, dependent) : each)
      }
      return result
    }
    const uri = target(value)
    if (uri === undefined) return yield* members(value, levels, dependent)
    if (expansion.links === (dependent ? '.' : '~') || uri.includes('#')) return value
    if (++count > most) fail(507, 'Base.InsufficientStorage')
    const found = read(uri)
    yield
    if (found === undefined) return value
    const whole = levels > 1 ? yield* members(found, levels - 1, false) : found
    if (!texts.has(whole)) texts.set(whole, levels > 1 ? write(whole) : JSON.stringify(whole))
    return whole
  }

  function write(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
    const known = texts.get(value)
    if (known !== undefined) return known
    if (Array.isArray(value)) return `[${value.map(write).join()}]`
    const properties = Object.entries(value).filter(([, each]) => each !== undefined)
    return `{${properties.map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`).join()}}`
  }
}

/** The URI that an object of nothing but `@odata.id` refers to. */
function target(value: object): string | undefined {
  const uri = (value as { '@odata.id'?: unknown })['@odata.id']
  return typeof uri === 'string' && Object.keys(value).length === 1 ? uri : undefined
}
