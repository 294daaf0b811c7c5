import type { Configuration } from '#data/configuration'
import { mayWait, type Tables, type Writes } from '#runtime/contract'
import { Checkpoint } from './checkpoint.ts'
import { Database, type Operation } from './database.ts'
import { type Entry, text } from './level.ts'
import { log } from './log.ts'
import { type Found, find, format, type Loss, StoreError } from './recovery.ts'
import { Reserve } from './reserve.ts'
import { Revisions } from './revisions.ts'
import { vouchForTables } from './tables.ts'

type Table = keyof Tables
type Stored = { r: number; v: object }

export { StoreError } from './recovery.ts'

/**
 * The state of the service: LevelDB on disk, all of it in memory. A commit is one durable batch and is seen by readers
 * only once it is on disk.
 *
 * Keys on disk: `=name` for the store's own, `table/key` for records; values are JSON `{ r: revision, v: record }`.
 */
export class Store {
  readonly revisions: Revisions
  /** What was lost at this start, where something was. */
  readonly loss: Loss | undefined
  readonly #database: Database
  readonly #directory: string
  readonly #checkpoint: Checkpoint
  readonly #checkpointEvery: number
  #kept = { commit: -1, at: 0 }
  readonly #tables = new Map<string, Map<string, object>>()
  readonly #keys = new Map<string, readonly string[]>()
  /** The store's own entries. */
  readonly #own = new Map<string, string>()
  #tail: Promise<unknown> = Promise.resolve()

  private constructor(
    found: Found,
    start: number,
    directory: string,
    options: Configuration['store'],
    reserve: Reserve,
    checkpoint: Checkpoint
  ) {
    this.loss = found.loss
    this.#database = new Database(directory, options, reserve, found, () => this.#entries())
    this.#directory = directory
    this.#checkpoint = checkpoint
    this.#checkpointEvery = options.checkpointEvery * 1000
    // Starts that cannot be counted still have revisions of their own.
    this.revisions = new Revisions(found.level === undefined ? start + Math.random() : start)
    for (const [key, value] of found.entries) {
      if (!key.startsWith('=')) this.#restore(key, JSON.parse(value) as Stored)
      else if (key.startsWith('=list/')) this.revisions.restore(key.slice('=list/'.length), Number(value))
      if (key.startsWith('=') && key !== '=sum') this.#own.set(key, value)
    }
  }

  /**
   * Opens the store in a directory, making it where there is none. One that is damaged is set aside, and its last good
   * copy taken. One that the disk lets nobody write is opened as it stands; commits then fail until the disk takes them.
   *
   * @throws StoreError when it is in use, unreadable or of another format; nothing is changed then
   */
  static async open(directory: string, options: Configuration['store']): Promise<Store> {
    const reserve = new Reserve(`${directory}.reserve`, options.reserve)
    const checkpoint = new Checkpoint(`${directory}.checkpoint`)
    const found = await find({ directory, options, reserve, checkpoint })
    try {
      const start = Number(found.entries.find(([key]) => key === '=starts')?.[1] ?? 0) + 1
      const store = new Store(found, start, directory, options, reserve, checkpoint)
      await store.#database.recover(found.refusal)
      await store.#writeOwn([
        ['=format', format],
        ['=starts', String(start)]
      ])
      store.#vouch(true)
      return store
    } catch (error) {
      await found.level?.close()
      throw new StoreError(`cannot use ${directory}: ${text(error)}`)
    }
  }

  async #writeOwn(entries: readonly Entry[]): Promise<void> {
    const operation = ([key, value]: Entry) => ({ key, value, isNew: !this.#own.has(key), mayWait: true })
    await this.#database.write(entries.map(operation))
    for (const [key, value] of entries) this.#own.set(key, value)
  }

  /** Everything that is to be on disk. */
  *#entries(): Iterable<Entry> {
    yield* this.#own
    for (const [table, records] of this.#tables) {
      for (const [key, record] of records) {
        const path = join(table, key)
        yield [path, written(this.revisions.of(path), record)]
      }
    }
  }

  #restore(path: string, stored: Stored): void {
    const [table, key] = split(path)
    this.#table(table).set(key, stored.v)
    this.revisions.restore(path, stored.r)
  }

  /** The tables that have had records since this start. */
  get tables(): readonly Table[] {
    return [...this.#tables.keys()] as Table[]
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    return this.#tables.get(table)?.get(key) as Tables[T] | undefined
  }

  keys(table: Table): readonly string[] {
    let keys = this.#keys.get(table)
    if (keys === undefined) {
      keys = [...(this.#tables.get(table)?.keys() ?? [])].sort()
      this.#keys.set(table, keys)
    }
    return keys
  }

  /**
   * Makes writes durable in one batch, then visible. Commits happen one after another; `stands` is asked, and writes
   * that are a function are worked out, when this one's turn comes.
   *
   * @returns false, with nothing written, when `stands` says that what the writes rest on has moved
   * @throws when the disk refuses; nothing is changed then
   */
  commit(writes: Writes | (() => Writes), stands: () => boolean = () => true): Promise<boolean> {
    return this.#inTurn(() => this.#commit(writes, stands))
  }

  async #commit(writes: Writes | (() => Writes), stands: () => boolean): Promise<boolean> {
    if (!stands()) return false
    const revision = this.revisions.next()
    const changes = this.#changes(typeof writes === 'function' ? writes() : writes)
    if (changes.length === 0) return true
    const lists = new Set<string>()
    const operations: Operation[] = changes.map(({ table, key, record, present }) => {
      if (present !== (record !== null)) lists.add(`${table}/`)
      const value = record === null ? null : written(revision, record)
      return { key: join(table, key), value, isNew: !present, mayWait: mayWait(table, record === null) }
    })
    const moved = [...lists].map((list): Entry => [`=list/${list}`, String(revision)])
    for (const [key, value] of moved) operations.push({ key, value, isNew: !this.#own.has(key), mayWait: true })
    await this.#database.write(operations)
    for (const { table, key, record } of changes) this.#apply(table, key, record)
    for (const [key, value] of moved) this.#own.set(key, value)
    for (const list of lists) {
      this.#keys.delete(list.slice(0, -1))
      this.revisions.moved(list, revision)
    }
    for (const { table, key, record } of changes) {
      this.revisions.moved(join(table, key), revision)
      if (record === null) this.revisions.forget(join(table, key))
    }
    return true
  }

  /** Each record as it will be: members that are undefined stay as they were. */
  #changes(writes: Writes) {
    const changes: { table: string; key: string; record: object | null; present: boolean }[] = []
    for (const [table, records] of Object.entries(writes)) {
      for (const [key, members] of Object.entries(records ?? {})) {
        const old = this.#tables.get(table)?.get(key)
        if (members === null) {
          if (old !== undefined) changes.push({ table, key, record: null, present: true })
        } else {
          const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
          changes.push({ table, key, record: { ...old, ...given }, present: old !== undefined })
        }
      }
    }
    return changes
  }

  #apply(table: string, key: string, record: object | null): void {
    if (record === null) this.#table(table).delete(key)
    else this.#table(table).set(key, record)
  }

  #table(name: string): Map<string, object> {
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = new Map()
      this.#tables.set(name, table)
    }
    return table
  }

  /** Why the disk takes no writes, while it does not. */
  get refusal(): Error | undefined {
    return this.#database.refusal
  }

  /** Has a listener told when the disk begins to refuse, with the reason, when that becomes another, and when it takes writes again. */
  onRefusal(listener: (reason: Error | undefined) => void): void {
    this.#database.onRefusal = listener
  }

  /** Brings the disk to where memory is, where that was not possible before, and copies the store when it is time. */
  tend(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#database.mend()
      this.#vouch(false)
      if (Date.now() - this.#kept.at >= this.#checkpointEvery) this.#copy()
    })
  }

  /** Copies the store now. */
  checkpoint(): Promise<void> {
    return this.#inTurn(async () => this.#copy())
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work)
    this.#tail = turn.catch(() => undefined)
    return turn
  }

  /** What only helps after damage is not to be in anybody's way. */
  #vouch(young: boolean): void {
    if (this.#database.state === undefined) return
    try {
      vouchForTables(this.#directory, young)
    } catch (error) {
      log('warning', 'the tables of the store were not listed', { cause: text(error) })
    }
  }

  #copy(): void {
    const state = this.#database.state
    if (state === undefined || state.commit === this.#kept.commit) return
    try {
      this.#checkpoint.write(state, this.#entries())
      this.#kept = { commit: state.commit, at: Date.now() }
    } catch (error) {
      log('warning', 'the store was not copied', { cause: text(error) })
    }
  }

  /** Waits for the commits under way, then lets go of the directory. */
  async close(): Promise<void> {
    await this.#tail
    this.#copy()
    await this.#database.close()
    this.#vouch(true)
  }
}

function written(revision: number, record: object): string {
  return JSON.stringify({ r: revision, v: record })
}

function join(table: string, key: string): string {
  return `${table}/${key}`
}

function split(path: string): [table: string, key: string] {
  const slash = path.indexOf('/')
  return [path.slice(0, slash), path.slice(slash + 1)]
}
