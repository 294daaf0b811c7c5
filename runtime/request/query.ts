import { fail } from '#runtime/contract'
import { shorten } from '#runtime/schema'
import { type Expansion, parseExpand } from './expand.ts'
import { type Filter, parseFilter } from './filter.ts'
import { parseSelect, type Selection } from './select.ts'
import type { Work } from './turns.ts'

/** Bounds on query options. */
export interface QueryLimits {
  /** How deep a filter's parentheses may nest. */
  readonly jsonDepth: number
  /** The most members that a collection shows at once. */
  readonly collectionPage: number
  readonly expandLevels: number
  /** The most resources that one request may read. */
  readonly expandResources: number
}

/** The query options of a GET (DSP0266). */
export interface Query {
  readonly only?: boolean
  readonly select?: Selection
  readonly expand?: Expansion
  readonly filter?: Filter
  readonly top?: number
  readonly skip?: number
  /** `$count` is heard and changes nothing: a collection always tells its count. */
  readonly count?: boolean
  /** The options as they were written. */
  readonly text: string
  /** The same without `$top` and `$skip`: what the link to the next page repeats. */
  readonly rest: readonly string[]
}

/**
 * The options in the text after `?`, or undefined without one that the service knows. Other names without `$` are
 * ignored.
 *
 * @throws MessageError 400 for a bad value, an option given twice, or a bad escape; 501 for another `$…` option
 */
export function parseQuery(search: string, limits: QueryLimits): Query | undefined {
  const query: { -readonly [K in keyof Query]?: Query[K] } = {}
  const text: string[] = []
  const rest: string[] = []
  for (const option of search.split('&')) {
    const equals = option.indexOf('=')
    const name = decode(equals < 0 ? option : option.slice(0, equals), '?')
    if (name !== 'only' && !name.startsWith('$')) continue
    if (!known.has(name)) fail(501, 'Base.QueryParameterUnsupported', shorten(name))
    const key = (name === 'only' ? name : name.slice(1)) as keyof Omit<Query, 'rest' | 'text'>
    if (query[key] !== undefined) fail(400, 'Base.QueryParameterValueError', name)
    const value = equals < 0 ? '' : decode(option.slice(equals + 1), name)
    Object.assign(query, { [key]: parsers[key](value, limits) })
    text.push(option)
    if (key !== 'top' && key !== 'skip') rest.push(option)
  }
  if (Object.keys(query).length === 0) return undefined
  if (query.only && (query.filter ?? query.top ?? query.skip) !== undefined) fail(400, 'Base.QueryCombinationInvalid')
  return { ...query, text: text.join('&'), rest }
}

const known = new Set(['only', '$select', '$expand', '$filter', '$top', '$skip', '$count'])

const parsers: {
  readonly [K in keyof Omit<Query, 'rest' | 'text'>]-?: (value: string, limits: QueryLimits) => Query[K]
} = {
  only: (value) => value === '' || fail(400, 'Base.QueryParameterValueError', 'only'),
  select: (value) => parseSelect(value) ?? malformed(value, '$select'),
  expand(value, limits) {
    const expansion = parseExpand(value) ?? malformed(value, '$expand')
    if (expansion.levels < 1 || expansion.levels > limits.expandLevels) {
      fail(400, 'Base.QueryParameterOutOfRange', String(expansion.levels), '$expand', `1-${limits.expandLevels}`)
    }
    return expansion
  },
  filter: (value, limits) => parseFilter(value, limits.jsonDepth) ?? malformed(value, '$filter'),
  top: (value) => natural(value, '$top'),
  skip: (value) => natural(value, '$skip'),
  count: (value) =>
    value === 'true' || value === 'false'
      ? value === 'true'
      : fail(400, 'Base.QueryParameterValueTypeError', shorten(value), '$count')
}

function natural(value: string, name: string): number {
  if (!/^-?\d+$/.test(value)) fail(400, 'Base.QueryParameterValueTypeError', shorten(value), name)
  const number = Number(value)
  if (number < 0 || !Number.isSafeInteger(number)) {
    fail(400, 'Base.QueryParameterOutOfRange', shorten(value), name, `0-${Number.MAX_SAFE_INTEGER}`)
  }
  return number
}

function malformed(value: string, name: string): never {
  return fail(400, 'Base.QueryParameterValueFormatError', shorten(value), name)
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return malformed(text, name)
  }
}

/** The other options of a query with `only`, for the resource that is then answered; undefined without others. */
export function withoutOnly({ only: _, text, rest, ...others }: Query): Query | undefined {
  if (Object.keys(others).length === 0) return undefined
  const without = (options: readonly string[]) => options.filter((option) => !/^only=?$/.test(option))
  return { ...others, text: without(text.split('&')).join('&'), rest: without(rest) }
}

/** A collection without a query: its first page. */
export function firstPage<T extends object>(resource: T, uri: string, limits: QueryLimits): T {
  return isCollection(resource) ? page(resource, undefined, uri, limits) : resource
}

/** Whether an answer to the query takes other resources. */
export const readsOthers = (query: Query) => (query.expand ?? query.filter) !== undefined

/** A resource as its reader sees it; undefined if it does not exist, or not for this reader. */
export type Read = (uri: string) => object | undefined

/**
 * A rendered resource with the members that a query asks for, in the order of DSP0266: filter, skip, top, page.
 *
 * @param uri where the resource is, for the link to the next page
 * @throws MessageError 400 QueryNotSupportedOnResource when an option for collections meets another resource
 */
export function* chooseMembers(
  resource: object,
  query: Query,
  uri: string,
  limits: QueryLimits,
  read: Read
): Work<object> {
  if (isCollection(resource))
    return page(yield* filterMembers(resource, query.filter, limits, read), query, uri, limits)
  if ((query.filter ?? query.top ?? query.skip ?? query.count) !== undefined) {
    fail(400, 'Base.QueryNotSupportedOnResource')
  }
  return resource
}

/** A collection of resources (DSP0266). */
interface Collection {
  readonly Members: readonly { readonly '@odata.id'?: string }[]
}

function isCollection(resource: object): resource is Collection {
  return 'Members' in resource && Array.isArray(resource.Members)
}

/**
 * The URI of a collection's one member, or undefined if there is another number of them.
 *
 * @throws MessageError 400 QueryNotSupportedOnResource on what is no collection
 */
export function soleMember(resource: object): string | undefined {
  if (!isCollection(resource)) fail(400, 'Base.QueryNotSupportedOnResource')
  return resource.Members.length === 1 ? resource.Members[0]?.['@odata.id'] : undefined
}

function* filterMembers<T extends Collection>(
  collection: T,
  filter: Filter | undefined,
  limits: QueryLimits,
  read: Read
): Work<T> {
  if (filter === undefined) return collection
  if (collection.Members.filter(isLink).length > limits.expandResources) fail(507, 'Base.InsufficientStorage')
  const Members: Collection['Members'][number][] = []
  for (const member of collection.Members) {
    const found = isLink(member) ? read(member['@odata.id']) : member
    if (found !== undefined && filter(found)) Members.push(member)
    yield
  }
  return { ...collection, Members }
}

/** Whether a member is a link to a resource, and not the resource itself or a part of the collection. */
function isLink(member: Collection['Members'][number]): member is { readonly '@odata.id': string } {
  const uri = member['@odata.id']
  return uri !== undefined && !uri.includes('#') && Object.keys(member).length === 1
}

/** One page of a collection, with the count of all members and the link to those after it. */
function page<T extends Collection>(
  collection: T,
  query: Pick<Query, 'top' | 'skip' | 'rest'> | undefined,
  uri: string,
  limits: Pick<QueryLimits, 'collectionPage'>
): T {
  const { skip = 0, top = Number.POSITIVE_INFINITY, rest = [] } = query ?? {}
  const count = collection.Members.length
  const end = Math.min(count, skip + top)
  const next = skip + limits.collectionPage
  const result = {
    ...collection,
    Members: collection.Members.slice(skip, Math.min(end, next)),
    'Members@odata.count': count
  }
  if (next >= end) return result
  const options = [...rest, ...(query?.top === undefined ? [] : [`$top=${end - next}`]), `$skip=${next}`]
  return { ...result, 'Members@odata.nextLink': `${uri}?${options.join('&')}` }
}
