import { effect, type Signal, signal, untracked } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { concerns, linksIn } from '../rules/concerns.ts'
import { Failure } from '../rules/failure.ts'
import { type Known, loading, partOf, valueIn } from '../rules/known.ts'
import { type Shown, send, session } from './client.ts'
import { retryFiles } from './files.ts'

interface Entry {
  readonly uri: string
  readonly known: Signal<Known<Shown>>
  links: ReadonlySet<string>
  users: number
  /** How often it was read, and which of these reads is shown: an answer can overtake that of an earlier read. */
  asked: number
  answered: number
  /** Until when it need not be read, since another answer had it in it; in milliseconds of `performance.now()`. */
  given: number
  timer: ReturnType<typeof setTimeout> | undefined
}

const entries = new Map<string, Entry>()

/** Changes that come together are read together: milliseconds that the first of them waits. */
const gathering = 40

/**
 * A resource, kept up to date by the events of the service for as long as a component shows it.
 *
 * @param at its URI, or what is known of it: a resource whose URI cannot be read cannot be read either
 */
export function useResource<T = Shown>(at: string | Known<string>): Known<T> {
  const uri = typeof at === 'string' ? at : valueIn(at)
  const [known] = useResources<T>(uri === undefined ? [] : [uri])
  return known ?? (at as Known<never>)
}

/** The headers of a loaded resource. Reads it again if it was part of another answer, without headers of its own. */
export function useHeaders(uri: string, known: Known<unknown>): Headers | undefined {
  const isMissing = known.state === 'there' && known.headers === undefined
  useEffect(() => {
    if (isMissing) void reread(uri)
  }, [uri, isMissing])
  return known.state === 'there' ? known.headers : undefined
}

/** Several resources, in the order of `uris`. Resources that another component already shows are not read again. */
export function useResources<T = Shown>(uris: readonly string[]): readonly Known<T>[] {
  const used = useRef<ReadonlySet<Entry>>(new Set())
  const use = (next: ReadonlySet<Entry>) => {
    for (const entry of next) {
      if (used.current.has(entry)) continue
      entry.users += 1
      if (entry.users === 1 && entry.given < performance.now()) void refresh(entry)
    }
    for (const entry of used.current) if (!next.has(entry)) entry.users -= 1
    used.current = next
  }
  useEffect(() => use(new Set(uris.map(entryOf))), [uris.join(' ')])
  useEffect(() => () => use(new Set()), [])
  return uris.map((uri) => entryOf(uri).known.value as Known<T>)
}

/** The members of a collection, all in one answer. @param of the link to the collection, or what is known of it */
export function useMembers<T>(of: Link | Known<Link>): Known<readonly T[]> {
  const uri = 'state' in of ? partOf(of, ({ '@odata.id': id }) => `${id}?$expand=.`) : `${of['@odata.id']}?$expand=.`
  return partOf(useResource<{ readonly Members: readonly T[] }>(uri), ({ Members }) => Members)
}

interface Link {
  readonly '@odata.id': string
}

function entryOf(uri: string): Entry {
  let entry = entries.get(uri)
  if (entry === undefined) {
    const known = signal<Known<Shown>>(loading)
    entry = { uri, known, links: new Set(), users: 0, asked: 0, answered: 0, given: 0, timer: undefined }
    entries.set(uri, entry)
  }
  return entry
}

/** The number of events so far: an answer that was under way during one may be older than it. */
let changes = 0

/** Rereads the shown resources that an event may concern. @param origin of the event */
export function touched(origin: string): void {
  changes += 1
  for (const entry of entries.values()) if (concerns(entry.uri, entry.links, origin)) later(entry)
}

/** Reads everything that is shown again: some changes may have been missed. */
export function refreshAll(): void {
  retryFiles()
  changes += 1
  for (const entry of entries.values()) later(entry)
}

/** Reads a resource again; settles when it is shown as it is now. */
export async function reread(uri: string): Promise<void> {
  const entry = entries.get(uri)
  if (entry !== undefined) await refresh(entry)
}

function later(entry: Entry): void {
  entry.given = 0
  if (entry.users === 0 || entry.timer !== undefined) return
  entry.timer = setTimeout(() => void refresh(entry), gathering)
}

/**
 * Collections that come with their members when they are first read. Where the one leads to the other, each step takes a
 * round trip, which is long on a slow link.
 */
const withMembers: ReadonlySet<string> = new Set(
  ['Chassis', 'Systems', 'Managers'].map((name) => `/redfish/v1/${name}/`)
)

function ahead(uri: string): void {
  const entry = entryOf(uri)
  entry.given = performance.now() + givenFor
  void refresh(entry)
}

/** A member that is not wanted within this time is read when it is; in milliseconds. */
const givenFor = 5000

/**
 * Reads these collections as soon as there is a session. Only the connection of the login is open then, and a new one
 * takes two round trips.
 */
export function readAhead(): void {
  effect(() => {
    if (session.value !== undefined) untracked(() => withMembers.forEach(ahead))
  })
}

/** Reads such a collection, and keeps its members as if each had been read. @returns the collection with links */
async function readWithMembers(uri: string): Promise<Shown> {
  const before = changes
  const { body } = await send<{ readonly Members: readonly Shown[] }>('GET', `${uri}?$expand=.`)
  for (const member of body.Members) {
    const entry = entryOf(String(member['@odata.id']))
    if (entry.users > 0) continue
    entry.known.value = { state: 'there', value: member }
    entry.links = linksIn(member)
    entry.given = changes === before ? performance.now() + givenFor : 0
  }
  const { '@odata.etag': _, ...own } = body as Shown
  return { ...own, Members: body.Members.map((each) => ({ '@odata.id': each['@odata.id'] })) }
}

async function refresh(entry: Entry): Promise<void> {
  clearTimeout(entry.timer)
  entry.timer = undefined
  entry.asked += 1
  const order = entry.asked
  const known = await read(entry)
  if (order < entry.answered) return
  entry.answered = order
  entry.known.value = known
  if (known.state === 'there') entry.links = linksIn(known.value)
}

/** @returns what is known of a resource after it was read again */
async function read({ uri, known: { value: before } }: Entry): Promise<Known<Shown>> {
  if (before.state === 'loading' && withMembers.has(uri)) {
    try {
      return { state: 'there', value: await readWithMembers(uri) }
    } catch (error) {
      // There may be too many of them for one answer.
      if (!(error instanceof Failure)) throw error
    }
  }
  const tag = valueIn(before)?.['@odata.etag']
  try {
    const { status, headers, body } = await send('GET', uri, undefined, {
      ...(typeof tag === 'string' && { 'If-None-Match': tag })
    })
    if (status !== 304 || before.state !== 'there') return { state: 'there', value: body, headers }
    const { failure: _, ...same } = before
    return { ...same, headers }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The last resource stays in sight while the service fails or is not reached, which is shown elsewhere.
    const stays = before.state === 'there' && (error.status === 0 || error.status >= 500)
    if (!stays) return { state: 'failed', failure: error }
    return error.status === 0 ? before : { ...before, failure: error }
  }
}
