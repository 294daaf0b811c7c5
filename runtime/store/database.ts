import type { Configuration } from '#data/configuration'
import { MessageError, message } from '#runtime/contract'
import { type Entry, isFull, type Opened, openLevel } from './level.ts'
import type { Found } from './recovery.ts'
import type { Reserve } from './reserve.ts'
import { type State, Sums } from './sums.ts'

/** A change of one entry. */
export type Operation = {
  readonly key: string
  /** `null` removes the entry. */
  readonly value: string | null
  /** Whether memory does not have the entry yet. */
  readonly isNew: boolean
  /** Whether the change counts also while only memory has it, because the disk refuses it. */
  readonly mayWait: boolean
}

/** How often a write is tried, on a database that was opened anew after each failure. */
const attempts = 2

/** Seconds after which a client may try again while the disk refuses. */
const retryAfter = 30

/**
 * The store's entries on disk. After a failure nothing is known of what a file holds: what LevelDB appends behind a torn
 * record is lost when its log is read again, and a failed fsync may have dropped what was written before it. So the
 * database is closed at the first failure, and nothing is acknowledged before it was opened again, which begins a new
 * log, was compared with memory, and has what it lacked on disk.
 */
export class Database {
  readonly #directory: string
  readonly #options: Configuration['store']
  readonly #reserve: Reserve
  readonly #present: () => Iterable<Entry>
  #level: Opened['level'] | undefined
  /** Entries in which the disk is behind memory. */
  readonly #behind = new Map<string, string | null>()
  /** Those among them that the disk never had. */
  readonly #fresh = new Set<string>()
  #sums: Sums
  #refusal: Error | undefined
  #closed = false
  /** Is told when the disk begins to refuse, with the reason, when that becomes another, and when it takes writes again. */
  onRefusal: (reason: Error | undefined) => void = () => undefined

  /**
   * @param found on disk
   * @param present the entries as memory has them; asked only while no write is under way
   */
  constructor(
    directory: string,
    options: Configuration['store'],
    reserve: Reserve,
    { level, entries }: Found,
    present: () => Iterable<Entry>
  ) {
    this.#directory = directory
    this.#options = options
    this.#reserve = reserve
    this.#level = level
    this.#sums = new Sums(entries)
    this.#present = present
  }

  /** Why the disk takes no writes, while it does not. */
  get refusal(): Error | undefined {
    return this.#refusal
  }

  /** What is on disk; undefined while that is not what memory has. */
  get state(): State | undefined {
    return this.#refusal === undefined && this.#behind.size === 0 ? this.#sums.state : undefined
  }

  /**
   * Settles when all of it is on disk, as one batch; while the disk refuses, also when all of it may wait.
   *
   * @throws MessageError 507 when the disk is full, 503 when it refuses for another reason; memory has to stay as it is
   */
  async write(operations: readonly Operation[]): Promise<void> {
    if (this.#closed) throw new Error('the store is closed')
    const waits = operations.every((each) => this.#mayWait(each))
    if (!waits) await this.mend()
    let refusal = this.#refusal
    for (let attempt = 0; this.#refusal === undefined && attempt < attempts; attempt += 1) {
      try {
        await this.#batch(operations)
        return
      } catch (error) {
        refusal = error as Error
        await this.recover(refusal)
      }
    }
    if (waits) this.#postpone(operations)
    else if (refusal !== undefined && !(await this.#remove(operations))) throw told(refusal)
  }

  /** Brings the disk to where memory is, where it is not. Settles also when the disk still refuses. */
  async mend(): Promise<void> {
    if (!this.#closed && (this.#refusal !== undefined || this.#behind.size > 0)) await this.recover(this.#refusal)
  }

  /**
   * Opens the database where it is closed, and takes the reserve. Settles also when the disk still refuses.
   *
   * @param refusal why it is closed
   */
  async recover(refusal?: Error): Promise<void> {
    if (refusal !== undefined) this.#refuse(refusal)
    for (let reopened = false; ; ) {
      try {
        if (this.#level === undefined) {
          reopened = true
          await this.#reopen()
          await this.#batch([])
        }
        this.#reserve.take()
        await this.#batch([])
        this.#refuse(undefined)
        return
      } catch (error) {
        this.#refuse(error as Error)
        // With the database open it is only the reserve that has no room.
        if (this.#level !== undefined) return
        // One that was open from before may have failed long ago, when it put its files in order.
        const more = !reopened || (isFull(error) && this.#reserve.give())
        if (!more) return
      }
    }
  }

  async close(): Promise<void> {
    await this.mend()
    this.#closed = true
    await this.#level?.close()
    this.#level = undefined
  }

  #refuse(reason: Error | undefined): void {
    const changed = reason?.message !== this.#refusal?.message
    this.#refusal = reason
    if (changed) this.onRefusal(reason)
  }

  /** What was never on disk needs none to be removed. */
  #mayWait({ key, value, mayWait }: Operation): boolean {
    return mayWait || (value === null && this.#fresh.has(key))
  }

  #postpone(operations: readonly Operation[]): void {
    for (const { key, value, isNew } of operations) {
      if (isNew && !this.#behind.has(key)) this.#fresh.add(key)
      if (value === null && this.#fresh.delete(key)) this.#behind.delete(key)
      else this.#behind.set(key, value)
    }
  }

  /**
   * Removals are made in the room of the reserve: it is the way to have more. What comes with them waits.
   *
   * @returns false, with nothing changed, when there is more than removals in it, or the disk refuses those too
   */
  async #remove(operations: readonly Operation[]): Promise<boolean> {
    const needed = operations.filter((each) => !this.#mayWait(each))
    if (this.#level === undefined || needed.some(({ value }) => value !== null)) return false
    try {
      await this.#batch(needed, false)
    } catch (error) {
      await this.recover(error as Error)
      return false
    }
    this.#postpone(operations.filter((each) => !needed.includes(each)))
    return true
  }

  /** @throws when the disk refuses; the database is closed then */
  async #batch(operations: readonly Operation[], all = true): Promise<void> {
    const changes = new Map(all ? this.#behind : [])
    for (const { key, value } of operations) changes.set(key, value)
    if (changes.size === 0) return
    const level = this.#level!
    const { entry, done } = this.#sums.next(changes)
    try {
      await level.batch(
        [...changes, entry].map(([key, value]) =>
          value === null ? { type: 'del', key } : { type: 'put', key, value }
        ),
        { sync: true }
      )
    } catch (error) {
      this.#level = undefined
      await level.close().catch(() => undefined)
      throw error
    }
    done()
    for (const key of changes.keys()) {
      this.#behind.delete(key)
      this.#fresh.delete(key)
    }
  }

  /** Opens the database and sees in what it differs from memory, which is right. */
  async #reopen(): Promise<void> {
    const { level, entries } = await openLevel(this.#directory, this.#options)
    this.#level = level
    this.#sums = new Sums(entries, this.#sums.state.commit)
    const found = new Map(entries)
    found.delete('=sum')
    this.#behind.clear()
    this.#fresh.clear()
    for (const [key, value] of this.#present()) {
      if (found.get(key) !== value) this.#behind.set(key, value)
      if (!found.delete(key)) this.#fresh.add(key)
    }
    for (const key of found.keys()) this.#behind.set(key, null)
  }
}

/** What a client is told of a disk that refuses. */
function told(reason: Error): MessageError {
  if (isFull(reason)) return new MessageError(507, [message('Base.InsufficientStorage')])
  const seconds = String(retryAfter)
  const messages = [message('Base.ServiceTemporarilyUnavailable', seconds), message('Mgmt.StorageNotWritable')]
  return new MessageError(503, messages, { 'Retry-After': seconds })
}
