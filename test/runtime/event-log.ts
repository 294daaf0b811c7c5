import type { EntryChange } from '#hal/entries.ts'
import type { HalError } from '#hal/errors.ts'
import type { EventLog, EventLogEntry } from '#hal/event-log.ts'
import { Listeners } from '#runtime/base/listeners.ts'

/** The event log of a program that is this process. */
export interface OwnEventLog extends EventLog {
  /** The accepted requests, such as `remove 1`. */
  readonly asked: readonly string[]
  /** Adds or changes entries, or removes those that are undefined, all in one change. */
  put(changed: ReadonlyMap<number, EventLogEntry | undefined>): void
  /** Has it fail from now on. */
  refuse(error: HalError): void
}

/** It has one entry at first. */
export function ownEventLog(): OwnEventLog {
  const first = {
    created: 1000,
    severity: 'Warning',
    text: 'Fan 1 is slow.',
    resolved: false,
    data: { FAN: '1' }
  } as const
  const entries = new Map<number, EventLogEntry>([[1, first]])
  const listeners = new Listeners<EntryChange>()
  const asked: string[] = []
  let refusal: HalError | undefined
  const put: OwnEventLog['put'] = (changed) => {
    const added = [...changed.keys()].filter((number) => !entries.has(number))
    for (const [number, entry] of changed) {
      if (entry === undefined) entries.delete(number)
      else entries.set(number, entry)
    }
    listeners.emit({ added, changed: new Set(changed.keys()) })
  }
  const perform = async (what: string, changed: ReadonlyMap<number, EventLogEntry | undefined>) => {
    if (refusal !== undefined) throw refusal
    asked.push(what)
    put(changed)
  }
  return {
    entries,
    isAvailable: true,
    asked,
    put,
    refuse(error) {
      refusal = error
    },
    resolve: (number, resolved) =>
      perform(`resolve ${number} ${resolved}`, new Map([[number, { ...(entries.get(number) ?? first), resolved }]])),
    remove: (number) => perform(`remove ${number}`, new Map([[number, undefined]])),
    clear: () => perform('clear', new Map([...entries.keys()].map((number) => [number, undefined]))),
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
    }
  }
}
