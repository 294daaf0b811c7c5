import { type Signal, signal } from '@preact/signals'
import { Failure } from '../rules/failure.ts'
import { type Known, loading, valueIn } from '../rules/known.ts'
import { send, session } from './client.ts'

const files = new Map<string, Signal<Known<unknown>>>()

/** A file of the service that changes only with the version of the service: read once, on first use. */
export function fileAt<T>(uri: string | Known<string>): Known<T> {
  if (typeof uri !== 'string') return uri.state === 'there' ? fileAt(uri.value) : uri
  if (session.value === undefined) return loading
  let known = files.get(uri)
  if (known === undefined) {
    known = signal<Known<unknown>>(loading)
    files.set(uri, known)
    void load(uri, known)
  }
  return known.value as Known<T>
}

/** The same for what does without it until it is there. */
export function contentAt<T>(uri: string | undefined): T | undefined {
  return uri === undefined ? undefined : valueIn(fileAt<T>(uri))
}

/** Reads the files again that could not be read. */
export function retryFiles(): void {
  for (const [uri, known] of files) if (known.peek().state === 'failed') void load(uri, known)
}

async function load(uri: string, into: Signal<Known<unknown>>): Promise<void> {
  into.value = loading
  try {
    into.value = { state: 'there', value: (await send('GET', uri)).body }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    into.value = { state: 'failed', failure: error }
  }
}
