import type { Configuration } from '#data/configuration'
import { makeDirectory } from '#runtime/base/files.ts'
import { attempts, type Change, refused } from './database.ts'
import type { Disk } from './disk.ts'
import { inspect, repair } from './files.ts'
import { OpenLevel, type Put } from './level.ts'
import { isEmpty, StoreError } from './recovery.ts'
import type { Entry } from './state.ts'

/** Between the name of a part and the keys in it. Names of parts have none. */
const separator = ':'

/**
 * One LevelDB with a part for each of many stores. The writes that arrive during a batch form the next batch, so that a
 * thousand stores wait for the disk as often as one. It guarantees no more than LevelDB: after a crash the newest
 * batches are there or not, each as a whole.
 */
export class SharedDatabase {
  readonly #directory: string
  readonly #options: Configuration['store']
  /** Open, or being opened; undefined after a failure, also of the opening. */
  #level: Promise<OpenLevel> | undefined
  #waiting: Put[] = []
  /** Settles when everything that waits at present is durable. */
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()

  private constructor(directory: string, options: Configuration['store']) {
    this.#directory = directory
    this.#options = options
  }

  /** @throws StoreError when it is in use or cannot be opened */
  static async open(directory: string, options: Configuration['store']): Promise<SharedDatabase> {
    const database = new SharedDatabase(directory, options)
    try {
      makeDirectory(directory)
      if (!isEmpty(directory)) repair(directory, inspect(directory).repairs)
      await database.#open()
      return database
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      const cause = code === 'LEVEL_LOCKED' ? 'is in use by another process' : `cannot be used: ${message}`
      throw new StoreError(`${directory} ${cause.split('\n')[0]}`)
    }
  }

  /** The entries of a part, in order. @throws the system's error */
  async entries(part: string): Promise<Entry[]> {
    const gte = part + separator
    const { level } = await this.#open()
    const found = await level.iterator({ gte, lt: `${gte}\uffff` }).all()
    return found.map(([key, value]) => [key.slice(gte.length), value])
  }

  /** Whether a part has an entry whose key begins so. @throws the system's error */
  async has(part: string, beginning: string): Promise<boolean> {
    const gte = part + separator + beginning
    const { level } = await this.#open()
    return (await level.keys({ gte, lt: `${gte}\uffff`, limit: 1 }).all()).length > 0
  }

  /** Settles when the changes are durable. @throws the system's error; the next write opens the database anew */
  write(part: string, changes: readonly Put[]): Promise<void> {
    for (const { key, value } of changes) this.#waiting.push({ key: part + separator + key, value })
    this.#next ??= this.#last.then(() => this.#batch())
    return this.#next
  }

  /** Settles when everything that was given to it is durable, or refused. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#last).catch(() => undefined)
  }

  part(name: string): Disk {
    return new Part(this, name)
  }

  async close(): Promise<void> {
    await this.settled()
    await this.#level?.then((level) => level.close())
  }

  #batch(): Promise<void> {
    const changes = this.#waiting
    this.#waiting = []
    const writing = this.#write(changes)
    this.#next = undefined
    this.#last = writing.catch(() => undefined)
    return writing
  }

  #open(): Promise<OpenLevel> {
    this.#level ??= OpenLevel.open(this.#directory, this.#options).catch((error) => {
      this.#level = undefined
      throw error
    })
    return this.#level
  }

  /** After a failure nothing is known of what is in LevelDB's log: the database is opened anew, which begins another one. */
  async #write(changes: readonly Put[]): Promise<void> {
    const level = await this.#open()
    try {
      await level.write(changes)
    } catch (error) {
      await level.close().catch(() => undefined)
      this.#level = undefined
      throw error
    }
  }
}

/** The part of one store. It has no copy: LevelDB is all that vouches for it. */
class Part implements Disk {
  readonly #database: SharedDatabase
  readonly #name: string
  #present: () => Iterable<Entry> = () => []
  onRefusal: (reason: Error | undefined) => void = () => undefined
  refusal: Error | undefined

  constructor(database: SharedDatabase, name: string) {
    this.#database = database
    this.#name = name
  }

  async begin(present: () => Iterable<Entry>): Promise<void> {
    this.#present = present
  }

  async write(changes: readonly Change[]): Promise<void> {
    const mayWait = changes.every((each) => each.mayWait)
    for (let attempt = 0; attempt < (mayWait ? 1 : attempts); attempt += 1) {
      try {
        if (this.refusal !== undefined) await this.#mend()
        await this.#database.write(this.#name, changes)
        return
      } catch (error) {
        this.#refuse(error as Error)
      }
    }
    if (!mayWait) throw refused(this.refusal)
  }

  lendReserve(): void {}

  async tend(): Promise<void> {
    if (this.refusal !== undefined) await this.#mend().catch(() => undefined)
  }

  copy(): void {}

  close(): Promise<void> {
    return this.tend()
  }

  /** Makes the part equal to memory: what was refused may be there, and what could wait is not. */
  async #mend(): Promise<void> {
    const found = new Map(await this.#database.entries(this.#name))
    const changes: Put[] = []
    for (const [key, value] of this.#present()) {
      if (found.get(key) !== value) changes.push({ key, value })
      found.delete(key)
    }
    for (const key of found.keys()) changes.push({ key, value: undefined })
    await this.#database.write(this.#name, changes)
    this.#refuse(undefined)
  }

  #refuse(reason: Error | undefined): void {
    this.refusal = reason
    this.onRefusal(reason)
  }
}
