import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { Level } from 'level'
import type { Configuration } from '#data/configuration'
import { Listeners } from '#hal/listeners.ts'
import { SerialQueue } from '#hal/serial-queue.ts'
import type { Tables, Writes } from '#runtime/contract'
import { Revisions } from './revisions.ts'

type Table = keyof Tables
type Stored = { r: number; v: object }
type Operation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string }

/** The layout of the records; a store with another number is of another Minnow. */
const format = '1'

/** A data directory that cannot be used; the message is one line for the person who started the service. */
export class StoreError extends Error {}

/**
 * The state of the service: LevelDB on disk, all of it in memory. A commit is one durable batch and is seen by readers
 * only once it is on disk.
 *
 * Keys on disk: `=name` for the store's own, `table/key` for records; values are JSON `{ r: revision, v: record }`.
 */
export class Store {
  readonly revisions: Revisions
  readonly #level: Level<string, string>
  readonly #tables = new Map<string, Map<string, object>>()
  readonly #keys = new Map<string, readonly string[]>()
  readonly #commits = new SerialQueue()
  /** By table. */
  readonly #listeners = new Map<string, Listeners<string>>()

  private constructor(level: Level<string, string>, start: number) {
    this.#level = level
    this.revisions = new Revisions(start)
  }

  /**
   * Opens the store in a directory, making it where there is none.
   *
   * @throws StoreError when it is in use, unreadable, damaged or of another format; nothing is changed then
   */
  static async open(directory: string, options: Configuration['store']): Promise<Store> {
    const level = await openLevel(directory, options)
    try {
      return await Store.#load(level, directory)
    } catch (error) {
      await level.close()
      throw error instanceof StoreError ? error : new StoreError(`${directory} is damaged: ${text(error)}`)
    }
  }

  static async #load(level: Level<string, string>, directory: string): Promise<Store> {
    const entries = await level.iterator().all()
    const own = new Map(entries.filter(([key]) => key.startsWith('=')))
    const found = own.get('=format')
    if (found === undefined && entries.length > 0) throw new StoreError(`${directory} is not a store of this service`)
    if (found !== undefined && found !== format) throw new StoreError(`${directory} has format ${found}, not ${format}`)
    const start = Number(own.get('=starts') ?? 0) + 1
    const store = new Store(level, start)
    for (const [key, value] of entries) {
      if (key.startsWith('=list/')) store.revisions.restore(key.slice('=list/'.length), Number(value))
      else if (!key.startsWith('=')) store.#restore(key, JSON.parse(value) as Stored)
    }
    await level.batch(
      [
        { type: 'put', key: '=format', value: format },
        { type: 'put', key: '=starts', value: String(start) }
      ],
      { sync: true }
    )
    return store
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
   * Calls `listener` with the key of each record of a table that was stored or removed, once the whole commit is on disk
   * and seen by readers; the function returned ends that. `docs/changes.md` says who listens to what.
   */
  on(table: Table, listener: (key: string) => void): () => void {
    const listeners = this.#listeners.get(table) ?? new Listeners()
    this.#listeners.set(table, listeners)
    return listeners.add(listener)
  }

  /**
   * Makes writes durable in one batch, then visible. Commits happen one after another; `isCurrent` is asked, and writes
   * that are a function are worked out, when this one's turn comes.
   *
   * @returns false, with nothing written, when `isCurrent` says that what the writes rest on has moved
   * @throws when the disk refuses; nothing is changed then
   */
  commit(writes: Writes | (() => Writes), isCurrent: () => boolean = () => true): Promise<boolean> {
    return this.#commits.run(() => this.#commit(writes, isCurrent))
  }

  async #commit(writes: Writes | (() => Writes), isCurrent: () => boolean): Promise<boolean> {
    if (!isCurrent()) return false
    const revision = this.revisions.next()
    const changes = this.#changes(typeof writes === 'function' ? writes() : writes)
    if (changes.length === 0) return true
    const operations: Operation[] = []
    const lists = new Set<string>()
    for (const { table, key, record, present } of changes) {
      const path = join(table, key)
      if (record === null) operations.push({ type: 'del', key: path })
      else operations.push({ type: 'put', key: path, value: JSON.stringify({ r: revision, v: record }) })
      if (present !== (record !== null)) lists.add(`${table}/`)
    }
    for (const list of lists) operations.push({ type: 'put', key: `=list/${list}`, value: String(revision) })
    await this.#level.batch(operations, { sync: true })
    for (const { table, key, record } of changes) this.#apply(table, key, record)
    for (const list of lists) {
      this.#keys.delete(list.slice(0, -1))
      this.revisions.moved(list, revision)
    }
    for (const { table, key, record } of changes) {
      this.revisions.moved(join(table, key), revision)
      if (record === null) this.revisions.forget(join(table, key))
    }
    for (const { table, key } of changes) this.#listeners.get(table)?.emit(key)
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

  /** Waits for the commits under way, then lets go of the directory. */
  async close(): Promise<void> {
    await this.#commits.idle()
    await this.#level.close()
  }
}

async function openLevel(directory: string, options: Configuration['store']): Promise<Level<string, string>> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // LevelDB takes a directory without CURRENT for an empty one and would begin anew over what is left in it.
    if (readdirSync(directory).length > 0 && !existsSync(`${directory}/CURRENT`)) {
      throw new StoreError(`${directory} is damaged: it has files but no CURRENT`)
    }
    const level = new Level<string, string>(directory, {
      cacheSize: options.cache,
      writeBufferSize: options.writeBuffer
    })
    await level.open()
    return level
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(explain(directory, error))
  }
}

function explain(directory: string, error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = (cause as { code?: string }).code
  if (code === 'LEVEL_LOCKED') return `${directory} is in use by another process`
  if (code === 'LEVEL_CORRUPTION') return `${directory} is damaged: ${text(cause)}`
  return `cannot use ${directory}: ${text(cause)}`
}

function text(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

function join(table: string, key: string): string {
  return `${table}/${key}`
}

function split(path: string): [table: string, key: string] {
  const slash = path.indexOf('/')
  return [path.slice(0, slash), path.slice(slash + 1)]
}
