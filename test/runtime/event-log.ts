import { HalError } from '#hal/errors.ts'
import type { EventLog, EventLogChange, EventLogEntry } from '#hal/event-log.ts'
import { Listeners } from '#runtime/base/listeners.ts'

/** The event log of a program that is this process: it has an entry at first. */
export function ownEventLog(): EventLog {
  const entries = new Map<number, EventLogEntry>([
    [1, { created: 1000, severity: 'Warning', text: 'Fan 1 is slow.', resolved: false, data: { FAN: '1' } }]
  ])
  const listeners = new Listeners<EventLogChange>()
  const change = (number: number, entry: EventLogEntry | undefined) => {
    if (entry === undefined) entries.delete(number)
    else entries.set(number, entry)
    listeners.emit({ added: [], changed: new Set([number]) })
  }
  return {
    entries,
    isAvailable: true,
    async resolve(number, resolved) {
      const entry = entries.get(number)
      if (entry === undefined) throw new HalError('ENODEV', `there is no entry ${number}`)
      change(number, { ...entry, resolved })
    },
    async remove(number) {
      change(number, undefined)
    },
    async clear() {
      for (const number of entries.keys()) change(number, undefined)
    },
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
    }
  }
}
