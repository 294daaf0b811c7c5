import { existsSync } from 'node:fs'
import type { Configuration } from '#data/configuration'
import { MessageError, message } from '#runtime/contract'
import { inspect, removeUnused, repair } from './files.ts'
import { isFull, OpenLevel, type Put } from './level.ts'
import { isEmpty, type Loss, type StoredState, setAside } from './recovery.ts'
import { Reserve } from './reserve.ts'
import { claimedState, type Entry, exchanged, type State, stateEntry, stateKey, sumOf } from './state.ts'

/** A change of one entry. */
export interface Change extends Put {
  /** Whether memory does not have the entry yet. */
  readonly isNew: boolean
  /** Whether the change also counts while only memory has it, because the disk refuses it. */
  readonly mayWait: boolean
  /** Whether the change is made on a full disk as well, in the room of the reserve. */
  readonly frees: boolean
}

/** How often a batch is tried, each time on a database that was opened anew after the failure before. */
export const attempts = 2

/** Seconds after which a client may try again while the disk refuses. */
const retryAfter = 30

/**
 * The entries of the store on disk. After a failure nothing is known of what is in a file: LevelDB drops what it appended
 * behind a torn record when it reads its log again, and a failed fsync may have dropped what was written before it. So
 * the first failure closes the database, and nothing is acknowledged before it was opened anew, which begins a new log,
 * was compared with memory, and was made equal to it.
 */
export class Database {
  readonly #directory: string
  readonly #options: Configuration['store']
  readonly #reserve: Reserve
  readonly #present: () => Iterable<Entry>
  /** Not open while the disk refuses. */
  #level: OpenLevel | undefined
  #state: State
  /** The fault of the directory, before it is set aside. */
  #damage: Loss | undefined
  #refusal: Error | undefined
  /** Keys of entries that came into memory while the database was not open: the disk does not have them. */
  readonly #onlyInMemory = new Set<string>()
  #closed = false
  /** Called each time that the disk refuses, with the reason, and when it takes writes again. */
  onRefusal: (reason: Error | undefined) => void = () => undefined

  /** @param present the entries as memory has them; asked only while no write is under way */
  constructor(directory: string, options: Configuration['store'], found: StoredState, present: () => Iterable<Entry>) {
    this.#directory = directory
    this.#options = options
    this.#reserve = new Reserve(`${directory}.reserve`, options.reserve)
    this.#present = present
    this.#level = found.level
    this.#refusal = found.refusal
    this.#damage = found.isDamaged ? found.loss : undefined
    const { commit = 0, at = 0 } = claimedState(found.entries) ?? {}
    this.#state = { commit, at, sum: sumOf(found.entries) }
  }

  /** Why the disk takes no writes, while it does not. */
  get refusal(): Error | undefined {
    return this.#refusal
  }

  /** The state on disk; undefined while that is not what memory has. */
  get state(): State | undefined {
    return this.#level && this.#state
  }

  /**
   * Settles when all changes are on disk, as one batch; while the disk refuses, also when all of them may wait.
   *
   * @throws MessageError 507 when the disk is full, 503 when it refuses for another reason; memory has to stay as it is
   */
  async write(changes: readonly Change[]): Promise<void> {
    if (this.#closed) throw new Error('the store is closed')
    const mayWait = changes.every((each) => each.mayWait || this.#onlyInMemory.has(each.key))
    if (mayWait && this.#refusal !== undefined) {
      for (const { key, isNew } of changes) if (isNew) this.#onlyInMemory.add(key)
      return
    }
    for (let attempt = 0; attempt < attempts && (await this.mend()); attempt += 1) {
      try {
        await this.#batch(changes)
        return
      } catch (error) {
        this.#refuse(error as Error)
      }
    }
    if (mayWait) return
    const frees = changes.every((each) => each.frees || each.mayWait)
    if (!(frees && isFull(this.#refusal) && (await this.#free(changes)))) throw refused(this.#refusal)
  }

  /**
   * Makes changes in the room of the reserve, which LevelDB takes to write its log into a table, and gives back as much as
   * they have freed. Until the reserve can be taken again the disk counts as full.
   *
   * @returns whether the changes are durable
   */
  async #free(changes: readonly Put[]): Promise<boolean> {
    try {
      this.#reserve.release()
      await this.#reopen()
      await this.#batch(changes)
    } catch (error) {
      this.#refuse(error as Error)
      return false
    }
    try {
      await this.#level?.compact()
      this.#reserve.take()
      this.#refuse(undefined)
    } catch (error) {
      await this.#close()
      this.#refuse(error as Error)
    }
    return true
  }

  /**
   * Opens the database if it is closed, and makes it equal to memory.
   *
   * @returns whether that was possible
   */
  async mend(): Promise<boolean> {
    if (this.#level !== undefined && this.#reserve.isTaken) return true
    if (this.#closed) return false
    try {
      this.#reserve.take()
      if (this.#level === undefined) await this.#reopen()
    } catch (error) {
      await this.#close()
      this.#refuse(error as Error)
      return false
    }
    this.#refuse(undefined)
    return true
  }

  /** Leaves the room of the reserve to other files, until `tend`. */
  lendReserve(): void {
    this.#reserve.lend()
  }

  /** As `mend`, and makes the reserve again that was lent. */
  async tend(): Promise<void> {
    this.#reserve.review()
    await this.mend()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#level?.close()
  }

  async #close(): Promise<void> {
    await this.#level?.close().catch(() => undefined)
    this.#level = undefined
  }

  #refuse(reason: Error | undefined): void {
    this.#refusal = reason
    this.onRefusal(reason)
  }

  async #reopen(): Promise<void> {
    if (this.#damage !== undefined) setAside(this.#directory, this.#damage)
    this.#damage = undefined
    tidy(this.#directory)
    const level = await OpenLevel.open(this.#directory, this.#options)
    const entries = await level.entries()
    this.#level = level
    const commit = Math.max(this.#state.commit, claimedState(entries)?.commit ?? 0)
    this.#state = { ...this.#state, commit, sum: sumOf(entries) }
    const found = new Map(entries)
    found.delete(stateKey)
    const changes: Put[] = []
    for (const [key, value] of this.#present()) {
      if (found.get(key) !== value) changes.push({ key, value })
      found.delete(key)
    }
    for (const key of found.keys()) changes.push({ key, value: undefined })
    // A batch that fails may be on disk nevertheless.
    this.#onlyInMemory.clear()
    if (changes.length > 0) await this.#batch(changes)
  }

  /** @throws the system's error when the disk refuses; the database is closed then */
  async #batch(changes: readonly Put[]): Promise<void> {
    const opened = this.#level!
    try {
      let { commit, sum } = this.#state
      for (const { key, value } of changes) sum = exchanged(sum, key, opened.level.getSync(key), value)
      const state = { commit: commit + 1, sum, at: Date.now() }
      const [key, value] = stateEntry(state)
      await opened.write([...changes, { key, value }])
      this.#state = state
    } catch (error) {
      await this.#close()
      throw error
    }
  }
}

/** Removes what a failure left in a closed LevelDB: files that the manifest does not name, and its own torn end. */
function tidy(directory: string): void {
  if (!existsSync(directory) || isEmpty(directory)) return
  const { version, repairs } = inspect(directory)
  removeUnused(directory, version)
  repair(directory, repairs)
}

/** The answer to a client while the disk refuses. */
export function refused(reason: Error | undefined): MessageError {
  if (isFull(reason)) return new MessageError(507, [message('Base.InsufficientStorage')])
  const seconds = String(retryAfter)
  const messages = [message('Base.ServiceTemporarilyUnavailable', seconds), message('Mgmt.StorageNotWritable')]
  return new MessageError(503, messages, { 'Retry-After': seconds })
}
