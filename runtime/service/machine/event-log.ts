import { logEntryUri, logKey, logNumber, logPath, machineLog } from '#data/logs'
import type { EntryChange } from '#hal/entries.ts'
import type { HalError } from '#hal/errors.ts'
import type { EventLog, EventLogEntry } from '#hal/event-log.ts'
import type { Closable } from '#runtime/base/opening.ts'
import { type Event, event, type Tables } from '#runtime/contract'
import type { RecordChange, Source } from '#runtime/store/attached.ts'
import type { Store } from '#runtime/store/store.ts'
import { explain } from './machine.ts'

/** The most entries of one change that have events, and the most characters of their texts there. */
const [mostEvents, longestText] = [100, 1000]

const table = 'machineLogEntry'

/**
 * The logs that another program has: their entries are records. A new entry is an event, and so is the change or the removal
 * of one by another program. One that gives way to a new one has no event, as in other logs.
 */
export class EventLogs implements Closable {
  readonly #store: Store
  readonly #events: { emit(...events: readonly Event[]): unknown }
  readonly #logs: ReadonlyMap<string, EventLog>
  readonly #end: () => void

  /** @param logs by the ids of systems */
  constructor(
    store: Store,
    events: { emit(...events: readonly Event[]): unknown },
    logs: ReadonlyMap<string, EventLog>
  ) {
    this.#store = store
    this.#events = events
    this.#logs = logs
    this.#end = store.attach(table, this.#source())
  }

  close(): void {
    this.#end()
  }

  #source(): Source<typeof table> {
    return {
      members: ['created', 'modified', 'severity', 'text', 'resolution', 'resolved', 'data'],
      decides: true,
      keys: () =>
        [...this.#logs].flatMap(([system, log]) =>
          [...(log.entries?.keys() ?? [])].map((each) => logKey(system, each))
        ),
      get: (key) => {
        const entry = this.#log(key)?.entries?.get(logNumber(key))
        return entry && recordOf(entry)
      },
      write: (key, members) => this.#write([key], members),
      remove: (keys) => this.#write(keys, null),
      on: (listener) => {
        const ends = [...this.#logs].map(([system, log]) =>
          log.on((change) => this.#follow(system, log, change, listener))
        )
        return () => {
          for (const end of ends) end()
        }
      }
    }
  }

  #log(key: string): EventLog | undefined {
    return this.#logs.get(key.slice(0, key.lastIndexOf('/')))
  }

  async #write(keys: readonly string[], members: Partial<Tables[typeof table]> | null): Promise<void> {
    try {
      if (members?.resolved !== undefined)
        for (const key of keys) await this.#log(key)?.resolve(logNumber(key), members.resolved)
      if (members === null)
        for (const log of this.#logs.values())
          await remove(log, keys.filter((key) => this.#log(key) === log).map(logNumber))
    } catch (error) {
      throw explain(error as HalError, { kind: 'eventLog', keys: keys.slice(0, 1) }, this.#store.log)
    }
  }

  #follow(
    system: string,
    log: EventLog,
    { added, changed }: EntryChange,
    listener: (key: string) => RecordChange | undefined
  ): void {
    const isNew = new Set(added)
    const oldest = added.length > 0 ? Math.min(...(log.entries?.keys() ?? [])) : 0
    const events: Event[] = []
    for (const number of [...changed].sort((one, other) => one - other)) {
      const key = logKey(system, number)
      const done = listener(key)
      const entry = log.entries?.get(number)
      const uri = logEntryUri(logKey(logPath('Systems', system, machineLog.id), number))
      if (entry !== undefined && isNew.has(number)) events.push(addedEvent(uri, entry))
      else if (done === 'Changed' || (done === 'Removed' && number > oldest))
        events.push(event(`ResourceEvent.Resource${done}`, uri))
    }
    if (events.length > mostEvents)
      this.#store.log.warning('entries of the log of the machine have no event', {
        system,
        count: events.length - mostEvents
      })
    if (events.length > 0) this.#events.emit(...events.slice(-mostEvents))
  }
}

/** Removes entries of a log: with one request if that are all of them. One alone is removed by itself, as others may be new. */
async function remove(log: EventLog, numbers: readonly number[]): Promise<void> {
  if (numbers.length > 1 && numbers.length === log.entries?.size) await log.clear()
  else for (const number of numbers) await log.remove(number)
}

function addedEvent(uri: string, { severity, text = '' }: EventLogEntry): Event {
  const shown = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  if (severity === 'Critical') return event('MgmtEvents.LogErrorAdded', uri, shown)
  if (severity === 'Warning') return event('MgmtEvents.LogWarningAdded', uri, shown)
  return event('MgmtEvents.LogEntryAdded', uri, shown)
}

function recordOf({ created, modified, ...entry }: EventLogEntry): Tables[typeof table] {
  return {
    ...entry,
    ...(created !== undefined && { created: new Date(created).toISOString() }),
    ...(modified !== undefined && { modified: new Date(modified).toISOString() })
  }
}
