/** A change of entries that another program stores under numbers. */
export interface EntryChange {
  /** The numbers of entries that are new, in order. Those that were there when the entries became known are not. */
  readonly added: readonly number[]
  /** The numbers of entries that are there or gone since, or have changed: also of the new ones. */
  readonly changed: ReadonlySet<number>
}

/** Numbered entries that another program has: it adds and removes them at any time. */
export interface NumberedEntries<T> {
  /** By their numbers, as far as is known: while the program is away, as they were last. Undefined until they are known. */
  readonly entries: ReadonlyMap<number, T> | undefined
  /** False while the program is away. */
  readonly isAvailable: boolean
  /**
   * Resolves when `entries` has the entry no more.
   *
   * @throws {HalError} `ENODEV` while the program is away or if there is no such entry, others by its back end
   */
  remove(number: number): Promise<void>
  /** Removes all entries. Resolves when those that were known are gone; some may stay. @throws {HalError} likewise */
  clear(): Promise<void>
  /** Calls back with each change, also when they become known, available or unavailable; the function returned ends that. */
  on(listener: (change: EntryChange) => void): () => void
  close(): Promise<void>
}
