import type { NumberedEntries } from './entries.ts'

/** An event that a program of this machine recorded. Members that it omits, or that are not valid, are absent. */
export interface EventLogEntry {
  /** Milliseconds since 1970. */
  readonly created?: number
  /** When it was changed last, likewise. */
  readonly modified?: number
  readonly severity?: 'OK' | 'Warning' | 'Critical'
  readonly text?: string
  /** How to resolve it. */
  readonly resolution?: string
  readonly resolved: boolean
  /** More about it, by names that the program has chosen. */
  readonly data: Readonly<Record<string, string>>
}

/** The event log of this machine, which another program holds: it adds and removes entries at any time. */
export interface EventLog extends NumberedEntries<EventLogEntry> {
  /**
   * Says of an entry whether it needs no more attention. Resolves when `entries` shows it.
   *
   * @throws {HalError} as `remove`
   */
  resolve(number: number, isResolved: boolean): Promise<void>
}
