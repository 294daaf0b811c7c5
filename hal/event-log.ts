import type { NumberedEntries } from './entries.ts'

/** What a program of this machine found worth a note. What it does not say, or says wrongly, is absent. */
export interface EventLogEntry {
  /** Milliseconds since 1970. */
  readonly created?: number
  /** When it was changed last, likewise. */
  readonly modified?: number
  readonly severity?: 'OK' | 'Warning' | 'Critical'
  readonly text?: string
  /** What to do about it. */
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
