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

/** What has happened to a log. */
export interface EventLogChange {
  /** The numbers of entries that are new, in order. Those that were there when the log became known are not. */
  readonly added: readonly number[]
  /** The numbers of entries that are there or gone since, or have changed: also of the new ones. */
  readonly changed: ReadonlySet<number>
}

/** The event log of this machine, which another program holds: it adds and removes entries at any time. */
export interface EventLog {
  /** By their numbers, as far as is known: while the program is away, as they were last. Undefined until they are known. */
  readonly entries: ReadonlyMap<number, EventLogEntry> | undefined
  /** False while the program is away. */
  readonly isAvailable: boolean
  /**
   * Says of an entry whether it needs no more attention. Resolves when `entries` shows it.
   *
   * @throws {HalError} `ENODEV` while the program is away or if there is no such entry, others by its back end
   */
  resolve(number: number, isResolved: boolean): Promise<void>
  /** Resolves when `entries` has the entry no more. @throws {HalError} likewise */
  remove(number: number): Promise<void>
  /** Removes all entries. Resolves when those that were known are gone; some may stay. @throws {HalError} likewise */
  clear(): Promise<void>
  /** Calls back with each change, also when the log becomes known, available or unavailable; the function returned ends that. */
  on(listener: (change: EventLogChange) => void): () => void
  close(): Promise<void>
}
