import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { fail } from '#runtime/contract'
import type { Work } from './turns.ts'

/** A parsed `$expand`: which links, and through how many of them. */
export interface Expansion {
  /** `.` those outside of `Links`, `~` those in `Links`, `*` both. */
  readonly links: '.' | '~' | '*'
  readonly levels: number
}

/** The JSON of a resource, with a final newline. */
export interface Content {
  readonly body: Uint8Array
  /** Where it shows the time; see `Answer`. */
  readonly moments?: Int32Array | undefined
}

/** A resource as its reader sees it; undefined if it does not exist, or not for this reader. */
export type Read = (uri: string) => Content | undefined

/** A link, and the bytes that it takes. */
interface Link {
  readonly uri: string
  readonly from: number
  readonly to: number
  /** Whether it is in `Links`. */
  readonly dependent: boolean
}

/** Parses an `$expand` (DSP0266), e.g. `*($levels=2)`; undefined for anything else. */
export function parseExpand(text: string): Expansion | undefined {
  const found = /^([.~*])(?:\(\$levels=(\d{1,3})\))?$/.exec(text)
  const [, links, levels = '1'] = found ?? []
  return links === undefined ? undefined : { links: links as Expansion['links'], levels: Number(levels) }
}

/**
 * Reads all that an expansion shows. Links to a part of a resource (`#…`), and those that cannot be read, stay links.
 *
 * @param most how many links may be expanded
 * @throws MessageError 507 InsufficientStorage (DSP0266: too large an answer) when that is not enough
 */
export function* readExpansion(content: Content, { links, levels }: Expansion, most: number, read: Read): Work<void> {
  const counts = new Map<string, number>()
  let total = 0
  const add = (more: number) => {
    total += more
    if (total > most) fail(507, 'Base.InsufficientStorage')
  }
  yield* count(content, levels)

  function* count(content: Content, levels: number): Work<void> {
    for (const { uri } of expandable(content, links)) {
      add(1)
      const found = read(uri)
      yield
      if (found === undefined || levels === 1) continue
      const key = `${levels} ${uri}`
      const known = counts.get(key)
      const before = total
      if (known !== undefined) add(known)
      else yield* count(found, levels - 1)
      counts.set(key, total - before)
    }
  }
}

/** The resource with resources in place of the links to them, after `readExpansion`. */
export function* expand(content: Content, { links, levels }: Expansion, read: Read): Work<Content> {
  const parts: Uint8Array[] = []
  const moments: number[] = []
  let length = 0
  yield* add(content, levels)
  copy(content, content.body.length - 1, content.body.length)
  const body = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.length
  }
  return { body, moments: moments.length > 0 ? Int32Array.from(moments) : undefined }

  function* add(content: Content, levels: number): Work<void> {
    let at = 0
    for (const { uri, from, to } of levels === 0 ? [] : expandable(content, links)) {
      const found = read(uri)
      if (found === undefined) continue
      copy(content, at, from)
      yield* add(found, levels - 1)
      yield
      at = to
    }
    copy(content, at, content.body.length - 1)
  }

  function copy({ body, moments: places }: Content, from: number, to: number): void {
    parts.push(body.subarray(from, to))
    for (let n = 0; places !== undefined && n < places.length; n += 2) {
      const place = places[n]!
      if (place >= from && place < to) moments.push(length + place - from, places[n + 1]!)
    }
    length += to - from
  }
}

function expandable(content: Content, links: Expansion['links']): readonly Link[] {
  const all = linksOf(content)
  return links === '*' ? all : all.filter(({ dependent }) => dependent === (links === '~'))
}

/** The links of contents that are in the cache, which are looked through once. */
const known = new WeakMap<Uint8Array, readonly Link[]>()

function linksOf({ body }: Content): readonly Link[] {
  const links = known.get(body) ?? linksIn(utf8Text(body))
  known.set(body, links)
  return links
}

/** In JSON an unescaped quotation mark is not within a string, so that these texts are what they look like. */
const [opening, closing, dependents] = ['{"@odata.id":"', '"}', '"Links":{']

function linksIn(text: string): readonly Link[] {
  const links: Link[] = []
  let [passed, bytes, end] = [0, 0, 0]
  let start = text.indexOf(dependents)
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
    const quote = text.indexOf('"', at + opening.length)
    const uri = text.slice(at + opening.length, quote)
    if (!text.startsWith(closing, quote) || uri.includes('#')) continue
    while (start >= 0 && start < at) {
      end = endOfObject(text, start + dependents.length)
      start = text.indexOf(dependents, end)
    }
    bytes += utf8(text.slice(passed, at)).length
    passed = at
    links.push({
      uri,
      from: bytes,
      to: bytes + opening.length + utf8(uri).length + closing.length,
      dependent: at < end
    })
  }
  return links
}

/** @param at behind the brace that opens the object */
function endOfObject(text: string, at: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[{}]/g
  token.lastIndex = at
  for (let depth = 1; depth > 0; ) {
    const [found] = token.exec(text) ?? []
    if (found === undefined) return text.length
    if (found === '{') depth++
    if (found === '}') depth--
  }
  return token.lastIndex
}
