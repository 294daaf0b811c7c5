import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { concerns, linksIn } from '../rules/concerns.ts'
import { Failure } from '../rules/failure.ts'
import { type Known, loading, partOf, valueIn } from '../rules/known.ts'
import { type Shown, send } from './client.ts'
import { retryFiles } from './files.ts'

interface Entry {
  readonly uri: string
  readonly known: Signal<Known<Shown>>
  links: ReadonlySet<string>
  users: number
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
  const entry = uri === undefined ? undefined : entryOf(uri)
  useEffect(() => {
    if (entry === undefined) return
    entry.users += 1
    void refresh(entry)
    return () => {
      entry.users -= 1
    }
  }, [entry])
  return entry === undefined ? (at as Known<never>) : (entry.known.value as Known<T>)
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
    entry = { uri, known: signal<Known<Shown>>(loading), links: new Set(), users: 0, timer: undefined }
    entries.set(uri, entry)
  }
  return entry
}

/** Reads what is shown again, where something happened that it may tell of. @param origin of an event */
export function touched(origin: string): void {
  for (const entry of entries.values()) if (concerns(entry.uri, entry.links, origin)) later(entry)
}

/** Reads everything that is shown again: some changes may have been missed. */
export function refreshAll(): void {
  retryFiles()
  for (const entry of entries.values()) later(entry)
}

/** Reads a resource again; settles when it is shown as it is now. */
export async function reread(uri: string): Promise<void> {
  const entry = entries.get(uri)
  if (entry !== undefined) await refresh(entry)
}

function later(entry: Entry): void {
  if (entry.users === 0 || entry.timer !== undefined) return
  entry.timer = setTimeout(() => void refresh(entry), gathering)
}

async function refresh(entry: Entry): Promise<void> {
  clearTimeout(entry.timer)
  entry.timer = undefined
  const before = entry.known.value
  const tag = valueIn(before)?.['@odata.etag']
  try {
    const { status, headers, body } = await send('GET', entry.uri, undefined, {
      ...(typeof tag === 'string' && { 'If-None-Match': tag })
    })
    if (status === 304 && before.state === 'there') {
      const { failure: _, ...same } = before
      entry.known.value = same
      return
    }
    entry.links = linksIn(body)
    entry.known.value = { state: 'there', value: body, headers }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The last resource stays in sight while the service fails or is not reached, which is shown elsewhere.
    if (before.state !== 'there' || (error.status > 0 && error.status < 500)) {
      entry.known.value = { state: 'failed', failure: error }
    } else if (error.status > 0) entry.known.value = { ...before, failure: error }
  }
}
