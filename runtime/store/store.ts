import type { Configuration } from '#data/configuration'
import { Listeners } from '#runtime/base/listeners.ts'
import { type Log, log as processLog } from '#runtime/base/log.ts'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { frees, type Members, mayWait, type Reader, type Tables, type Writes } from '#runtime/contract'
import { Attached, type RecordChange, type Source } from './attached.ts'
import { Checkpoint } from './checkpoint.ts'
import type { Change } from './database.ts'
import { Directory } from './directory.ts'
import type { Disk } from './disk.ts'
import { text } from './level.ts'
import { Receipt } from './receipt.ts'
import { find, format, type Loss, type StoredState, StoreError } from './recovery.ts'
import { Revisions } from './revisions.ts'
import { type Entry, stateKey } from './state.ts'

type Table = keyof Tables
type Stored = { r: number; v: object }

/**
 * The state of a service: LevelDB on disk, all of it in memory. A commit is one durable batch and is seen by readers
 * only once it is on disk.
 *
 * Keys on disk: `=name` for the store's own, `table/key` for records; values are JSON `{ r: revision, v: record }`.
 */
export class Store {
  readonly revisions: Revisions
  /** The loss at this start, where there was one. */
  readonly loss: Loss | undefined
  /** The log of the service whose state this is. */
  readonly log: Log
  readonly #disk: Disk
  readonly #tables = new Map<string, Map<string, object>>()
  readonly #keys = new Map<string, readonly string[]>()
  /** The store's own entries. */
  readonly #own = new Map<string, string>()
  readonly #commits = new SerialQueue()
  readonly #committed = new Listeners<void>()
  /** By table. */
  readonly #listeners = new Map<string, Listeners<string>>()
  /** The tables with a source. */
  readonly #attached = new Map<string, Attached>()

  private constructor(disk: Disk, found: Pick<StoredState, 'entries' | 'loss'>, log: Log) {
    const start = Number(found.entries.find(([key]) => key === '=starts')?.[1] ?? 0) + 1
    this.revisions = new Revisions(start)
    this.loss = found.loss
    this.log = log
    this.#disk = disk
    for (const [key, value] of found.entries) {
      if (!key.startsWith('=')) this.#restore(key, JSON.parse(value) as Stored)
      else if (key !== stateKey) this.#own.set(key, value)
      if (key.startsWith('=list/')) this.revisions.restore(key.slice('=list/'.length), Number(value))
    }
    this.#own.set('=format', format).set('=starts', String(start))
  }

  members(reader: Reader): Members<'serviceLog'> {
    return {
      serviceLog: () => {
        reader.depends('clock')
        return { lines: this.log.recent, dropped: this.log.dropped }
      }
    }
  }

  /**
   * Opens the store in a directory, and creates a missing one. A damaged store is set aside and replaced by its last good
   * copy. A store on a read-only disk is opened as it is; commits then fail until the disk is writable.
   *
   * @throws StoreError when it is in use, unreadable or of another format; nothing is changed then
   */
  static async open(directory: string, options: Configuration['store']): Promise<Store> {
    const checkpoint = new Checkpoint(`${directory}.checkpoint`)
    const receipt = new Receipt(`${directory}.receipt`)
    const found = await find(directory, { checkpoint, receipt }, options)
    try {
      return await Store.on(new Directory(directory, { checkpoint, receipt }, options, found), found)
    } catch (error) {
      await found.level?.close()
      throw new StoreError(`cannot use ${directory}: ${text(error)}`)
    }
  }

  /** The store whose entries were found on a disk, which it closes. */
  static async on(disk: Disk, found: Pick<StoredState, 'entries' | 'loss'>, log = processLog): Promise<Store> {
    const store = new Store(disk, found, log)
    await disk.begin(() => store.#entries())
    await store.#begin()
    return store
  }

  /** Stores how often the service was started. A start that the disk does not count has numbers of its own all the same. */
  async #begin(): Promise<void> {
    const own = ['=format', '=starts'].map((key) => ({
      key,
      value: this.#own.get(key),
      isNew: false,
      mayWait: true,
      frees: true
    }))
    await this.#disk.write(own)
    if (this.refusal !== undefined) this.revisions.skip()
  }

  /** Everything that is to be on disk. */
  *#entries(): Iterable<Entry> {
    yield* this.#own
    for (const [table, seen] of this.#tables) {
      const records = this.#attached.get(table)?.stored ?? seen
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
   * Calls `listener` with the key of each record of a table that was stored or removed, once the whole commit is on disk
   * and seen by readers; the function returned ends that. `docs/changes.md` says who listens to what.
   */
  on(table: Table, listener: (key: string) => void): () => void {
    const listeners = this.#listeners.get(table) ?? new Listeners()
    this.#listeners.set(table, listeners)
    return listeners.add(listener)
  }

  /**
   * Has a source hold members of a table's records from now on; the function returned ends that. Its changes look like
   * commits: revisions move, and listeners are called.
   */
  attach<T extends Table>(table: T, source: Source<T>): () => void {
    const attached = new Attached(source as unknown as Source, this.#table(table))
    this.#attached.set(table, attached)
    this.#tables.set(table, new Map(attached.stored))
    const look = (key: string): RecordChange | undefined => {
      const [old = null, record] = [this.#tables.get(table)?.get(key), attached.record(key)]
      if (JSON.stringify(record) === JSON.stringify(old)) return undefined
      this.#apply(table, key, record)
      this.#tell([{ table, key, record, present: old !== null }], this.revisions.next())
      if (attached.isWritten(key)) return undefined
      return old === null ? 'Created' : record === null ? 'Removed' : 'Changed'
    }
    for (const key of attached.keys()) look(key)
    const end = source.on(look)
    return () => {
      end()
      this.#attached.delete(table)
      this.#tables.set(table, attached.stored)
      this.#keys.delete(table)
    }
  }

  /** The keys of records that are on disk, of a table whose source decides and does not have them. */
  orphans(table: Table): string[] {
    const attached = this.#attached.get(table)
    return [...(attached?.stored.keys() ?? [])].filter((key) => attached?.record(key) === null)
  }

  /** Calls `listener` after each commit, before those who listen to records; the function returned ends that. */
  onCommit(listener: () => void): () => void {
    return this.#committed.add(listener)
  }

  /**
   * Makes writes durable in one batch, then visible. Commits happen one after another; `isCurrent` is asked, and writes
   * that are a function are worked out, when this one's turn comes.
   *
   * @returns false, with nothing written, when `isCurrent` says that what the writes rest on has moved
   * @throws MessageError 507 or 503 when the disk refuses; nothing is changed then
   */
  commit(writes: Writes | (() => Writes), isCurrent: () => boolean = () => true): Promise<boolean> {
    return this.#commits.run(() => this.#commit(writes, isCurrent))
  }

  async #commit(writes: Writes | (() => Writes), isCurrent: () => boolean): Promise<boolean> {
    if (!isCurrent()) return false
    const revision = this.revisions.next()
    const changes = this.#changes(typeof writes === 'function' ? writes() : writes)
    if (changes.length === 0) return true
    // First: own records describe what a source has accepted.
    for (const table of new Set(changes.map((each) => each.table))) {
      const given = changes.flatMap(({ table: of, key, members }) => (of === table ? [[key, members] as const] : []))
      await this.#attached.get(table)?.write(new Map(given))
    }
    const lists = listsOf(changes)
    const entries: Change[] = changes.flatMap(({ table, key, record, present }) => {
      const attached = this.#attached.get(table)
      const own = record === null || attached === undefined ? record : attached.own(key, record)
      // Of a record that its source holds as a whole, nothing is on disk.
      if (own === null && attached?.stored.has(key) === false) return []
      return {
        key: join(table, key),
        value: own === null ? undefined : written(revision, own),
        isNew: !present,
        mayWait: mayWait(table, record === null),
        frees: record === null || frees(table)
      }
    })
    const moved = [...lists].map((list): Entry => [`=list/${list}`, String(revision)])
    for (const [key, value] of moved)
      entries.push({ key, value, isNew: !this.#own.has(key), mayWait: true, frees: true })
    if (entries.length > 0) await this.#disk.write(entries)
    for (const [key, value] of moved) this.#own.set(key, value)
    for (const { table, key, record } of changes) this.#keep(table, key, record)
    this.#tell(changes, revision)
    return true
  }

  #keep(table: string, key: string, record: object | null): void {
    const attached = this.#attached.get(table)
    const own = record === null ? null : attached?.own(key, record)
    if (own === null) attached?.stored.delete(key)
    else if (own !== undefined) attached?.stored.set(key, own)
    this.#apply(table, key, attached === undefined ? record : attached.record(key))
  }

  /** Moves revisions and calls listeners, once readers see the changes. */
  #tell(changes: readonly Seen[], revision: number): void {
    for (const list of listsOf(changes)) {
      this.#keys.delete(list.slice(0, -1))
      this.revisions.moved(list, revision)
    }
    for (const { table, key, record } of changes) {
      this.revisions.moved(join(table, key), revision)
      if (record === null) this.revisions.forget(join(table, key))
    }
    this.#committed.emit()
    for (const { table, key } of changes) this.#listeners.get(table)?.emit(key)
  }

  /** Each record as it will be: members that are undefined stay as they were. */
  #changes(writes: Writes) {
    const changes: (Seen & { readonly members: object | null })[] = []
    for (const [table, records] of Object.entries(writes)) {
      for (const [key, members] of Object.entries(records ?? {})) {
        const old = this.#tables.get(table)?.get(key)
        if (members === null) {
          const isStored = old !== undefined || this.#attached.get(table)?.stored.has(key) === true
          if (isStored) changes.push({ table, key, members, record: null, present: true })
        } else {
          const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
          changes.push({ table, key, members: given, record: { ...old, ...given }, present: old !== undefined })
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
    return this.#disk.refusal
  }

  /** Calls a listener each time that the disk refuses, with the reason, and when it takes writes again. */
  onRefusal(listener: (reason: Error | undefined) => void): void {
    this.#disk.onRefusal = listener
  }

  /** Leaves the room on the disk that is kept for removals to other files, until the store is tended. */
  lendReserve(): void {
    this.#disk.lendReserve()
  }

  /** To be called now and then: stores what the disk refused before, and copies the store when it is time. */
  tend(): Promise<void> {
    return this.#commits.run(() => this.#disk.tend())
  }

  /** Replaces the last good copy of the store now. */
  checkpoint(): Promise<void> {
    return this.#commits.run(async () => this.#disk.copy())
  }

  /** Waits for the commits under way, then lets go of the disk. */
  close(): Promise<void> {
    return this.#commits.run(() => this.#disk.close())
  }
}

/** A change of a record. */
interface Seen {
  readonly table: string
  readonly key: string
  readonly record: object | null
  /** Whether there was such a record before. */
  readonly present: boolean
}

/** The tables of which records are added or removed. */
function listsOf(changes: readonly Seen[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ table, record, present }) => (present === (record !== null) ? [] : [`${table}/`])))
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
