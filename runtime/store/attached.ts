import type { Tables } from '#runtime/contract'

type Table = keyof Tables

/** The change of a record, as named in the key of its event. */
export type RecordChange = 'Created' | 'Changed' | 'Removed'

/**
 * A device, or another program, that holds members of a table's records in place of the disk: on OpenBMC, users belong to
 * its user manager. Readers see them in the records; writes of them go to the source.
 */
export interface Source<T extends Table = Table> {
  /** The members that it holds of its records. */
  readonly members: readonly (keyof Tables[T] & string)[]
  /**
   * Whether it decides which records there are, all or those with some keys: what the disk has of others is not seen, and
   * new ones are its. Otherwise those that it does not have are on disk as a whole.
   */
  readonly decides: boolean | ((key: string) => boolean)
  /** The keys of the records that it has. */
  keys(): Iterable<string>
  /** Its members of a record, without waiting for anything; undefined for a record that it does not have. */
  get(key: string): Partial<Tables[T]> | undefined
  /**
   * Has its owner store members of a record, or remove it. Resolves when `get` shows that.
   *
   * @throws MessageError if it is refused or fails; what was accepted before stays
   */
  write(key: string, members: Partial<Tables[T]> | null): Promise<void>
  /** Has its owner remove several records. Without it, they are removed one after the other. @throws likewise */
  remove?(keys: readonly string[]): Promise<void>
  /**
   * Calls back with the key of each record that changed, whoever changed it; the function returned ends that. The answer is
   * what became of the record by another program: nothing if readers see no change, or it is that of a write under way,
   * which has an event by itself.
   */
  on(listener: (key: string) => RecordChange | undefined): () => void
}

/** A table with a source: its records are what the disk has of them together with what the source has. */
export class Attached {
  /** The records on disk. */
  readonly stored: Map<string, object>
  readonly #source: Source
  readonly #members: ReadonlySet<string>
  /** The keys of records that a commit changes. */
  readonly #written = new Set<string>()

  constructor(source: Source, stored: Map<string, object>) {
    this.#source = source
    this.#members = new Set(source.members)
    this.stored = stored
  }

  keys(): ReadonlySet<string> {
    return new Set([...this.stored.keys(), ...this.#source.keys()])
  }

  /** A record as readers see it; null for an unknown key. */
  record(key: string): object | null {
    const [own, held] = [this.stored.get(key), this.#source.get(key)]
    if (held === undefined && (own === undefined || this.#decides(key))) return null
    return { ...own, ...held }
  }

  /** Of a record, what is to be on disk; null for nothing. */
  own(key: string, record: object): object | null {
    if (!this.#isHeld(key)) return record
    const own = this.#part(record, false)
    return Object.keys(own).length === 0 ? null : own
  }

  /**
   * Gives the source its part of a commit.
   *
   * @param changes members by key; null removes the record
   * @throws as {@link Source.write}
   */
  async write(changes: ReadonlyMap<string, object | null>): Promise<void> {
    for (const key of changes.keys()) this.#written.add(key)
    try {
      await this.#write(changes)
    } finally {
      this.#written.clear()
    }
  }

  /** Whether a commit that is under way changes a record. */
  isWritten(key: string): boolean {
    return this.#written.has(key)
  }

  async #write(changes: ReadonlyMap<string, object | null>): Promise<void> {
    const removed = [...changes].flatMap(([key, members]) => (members === null && this.#source.get(key) ? key : []))
    if (this.#source.remove === undefined) for (const key of removed) await this.#source.write(key, null)
    else if (removed.length > 0) await this.#source.remove(removed)
    for (const [key, members] of changes) {
      const held = members === null ? {} : this.#part(members, true)
      if (this.#isHeld(key) && Object.keys(held).length > 0) await this.#source.write(key, held)
    }
  }

  #isHeld(key: string): boolean {
    return this.#decides(key) || this.#source.get(key) !== undefined
  }

  #decides(key: string): boolean {
    const { decides } = this.#source
    return typeof decides === 'boolean' ? decides : decides(key)
  }

  #part(record: object, isHeld: boolean): object {
    return Object.fromEntries(Object.entries(record).filter(([member]) => this.#members.has(member) === isHeld))
  }
}
