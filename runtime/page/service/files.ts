import { type Signal, signal } from '@preact/signals'
import { send, session } from './client.ts'

const files = new Map<string, Signal<unknown>>()

/** A file of the service that changes with its version only: read once, when somebody first wants it. */
export function fileAt<T>(uri: string | undefined): T | undefined {
  if (uri === undefined || session.value === undefined) return undefined
  let known = files.get(uri)
  if (known === undefined) {
    known = signal<unknown>(undefined)
    files.set(uri, known)
    void load(uri, known)
  }
  return known.value as T | undefined
}

async function load(uri: string, into: Signal<unknown>): Promise<void> {
  try {
    into.value = (await send('GET', uri)).body
  } catch {
    // It may be there next time; what needs it does without.
    files.delete(uri)
  }
}
