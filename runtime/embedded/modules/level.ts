/**
 * `level` in the binary: an abstract-level database over LevelDB, with the files of classic-level. Reading is done at
 * once; opening, closing, writing and compacting run on the worker pool.
 */

import native, { type Bytes, type Cursor, type Snapshot, type Store, type StoreOptions } from 'minnow:leveldb'
import { mkdirSync } from 'node:fs'
import { type AbstractDatabaseOptions, AbstractIterator, AbstractLevel, AbstractSnapshot } from 'abstract-level'

/** Small sizes for a small machine: about 1 MiB in all. They do not change the format, only when it is reorganised. */
const defaults: StoreOptions = {
  cacheSize: 256 * 1024,
  writeBufferSize: 512 * 1024,
  blockSize: 4096,
  maxOpenFiles: 64,
  createIfMissing: true,
  errorIfExists: false,
  compression: true
}

/** The features of the database, in the words of level-supports. */
const manifest = {
  encodings: { utf8: true, view: true },
  has: true,
  createIfMissing: true,
  errorIfExists: true,
  explicitSnapshots: true,
  getSync: true
}

/** Entries read from C in one call: up to the requested number, or until they reach this number of bytes. */
const highWaterMarkBytes = 16 * 1024
/** Deletions in one batch of `clear()`. */
const clearedAtOnce = 500

interface ReadOptions {
  keyEncoding?: string
  valueEncoding?: string
  snapshot?: StoreSnapshot
}

interface RangeOptions extends ReadOptions {
  gt?: Bytes
  gte?: Bytes
  lt?: Bytes
  lte?: Bytes
  reverse: boolean
  limit: number
  fillCache?: boolean
  keys?: boolean
  values?: boolean
}

type Operation = { type: 'put'; key: Bytes; value: Bytes } | { type: 'del'; key: Bytes }

/** Options of the constructor and of `open()`, with the meaning that they have in classic-level. */
export type LevelOptions<K, V> = AbstractDatabaseOptions<K, V> & Partial<StoreOptions>

export class Level<K = string, V = string> extends AbstractLevel<Bytes, K, V> {
  readonly location: string
  #store: Store | undefined
  readonly #work = new Set<Promise<void>>()

  constructor(location: string, options?: LevelOptions<K, V>) {
    if (typeof location !== 'string' || location === '') {
      throw new TypeError("The first argument 'location' must be a non-empty string")
    }
    super(manifest, options)
    this.location = location
  }

  async _open(options: Partial<StoreOptions>): Promise<void> {
    const wanted = { ...defaults, ...options }
    if (wanted.createIfMissing) mkdirSync(this.location, { recursive: true })
    this.#store = await native.open(this.location, wanted)
  }

  /** Closes the store once the work under way is done; abstract-level has closed iterators and snapshots before. */
  async _close(): Promise<void> {
    await Promise.allSettled(this.#work)
    await native.close(this.#store!)
    this.#store = undefined
  }

  async _get(key: Bytes, options: ReadOptions): Promise<Bytes | undefined> {
    return this._getSync(key, options)
  }

  _getSync(key: Bytes, options: ReadOptions): Bytes | undefined {
    return native.get(this.#store!, key, options.valueEncoding === 'utf8', options.snapshot?.handle)
  }

  async _getMany(keys: Bytes[], options: ReadOptions): Promise<(Bytes | undefined)[]> {
    return keys.map((key) => this._getSync(key, options))
  }

  async _has(key: Bytes, options: ReadOptions): Promise<boolean> {
    return native.get(this.#store!, key, false, options.snapshot?.handle) !== undefined
  }

  async _hasMany(keys: Bytes[], options: ReadOptions): Promise<boolean[]> {
    return Promise.all(keys.map((key) => this._has(key, options)))
  }

  _put(key: Bytes, value: Bytes, options: { sync?: boolean }): Promise<void> {
    return this.#write([key, value], options.sync)
  }

  _del(key: Bytes, options: { sync?: boolean }): Promise<void> {
    return this.#write([key, undefined], options.sync)
  }

  _batch(operations: Operation[], options: { sync?: boolean }): Promise<void> {
    return this.#write(
      operations.flatMap((operation) => [operation.key, operation.type === 'put' ? operation.value : undefined]),
      options.sync
    )
  }

  /**
   * Removed entries between two keys take no room afterwards. This one rewrites all entries, whichever the keys are.
   */
  compactRange(_start: K, _end: K): Promise<void> {
    return this.#underWay(native.compact(this.#store!))
  }

  async _clear(options: RangeOptions & { sync?: boolean }): Promise<void> {
    const cursor = this._cursor(options)
    let left = options.limit < 0 ? Number.POSITIVE_INFINITY : options.limit
    try {
      while (left > 0) {
        const doomed = native.next(cursor, Math.min(left, clearedAtOnce), highWaterMarkBytes, entryFlags.withoutValues)
        if (doomed.length === 0) return
        await this.#write(doomed, options.sync)
        left -= doomed.length / 2
      }
    } finally {
      native.release(cursor)
    }
  }

  _iterator(options: RangeOptions): LevelIterator<K, V> {
    return new LevelIterator(this, this._cursor(options), options)
  }

  _snapshot(options: object): StoreSnapshot {
    return new StoreSnapshot(options, native.snapshot(this.#store!))
  }

  _cursor(options: RangeOptions): Cursor {
    const lower = options.gte ?? options.gt
    const upper = options.lte ?? options.lt
    return native.cursor(
      this.#store!,
      lower,
      options.gte !== undefined,
      upper,
      options.lte !== undefined,
      options.reverse,
      options.fillCache ?? false,
      options.snapshot?.handle
    )
  }

  /** Keys and values in turn; an undefined value deletes. */
  #write(batch: (Bytes | undefined)[], sync = false): Promise<void> {
    return this.#underWay(native.write(this.#store!, batch, sync))
  }

  /** Has `_close` wait for it. */
  #underWay(work: Promise<void>): Promise<void> {
    const forget = () => this.#work.delete(work)
    this.#work.add(work)
    work.then(forget, forget)
    return work
  }
}

/** The parts of an entry that `next` of the binding is to give. */
const entryFlags = { textKeys: 1, textValues: 2, withoutKeys: 4, withoutValues: 8 }

class LevelIterator<K, V> extends AbstractIterator<Level<K, V>, K, V> {
  readonly #cursor: Cursor
  readonly #flags: number

  constructor(db: Level<K, V>, cursor: Cursor, options: RangeOptions) {
    super(db, options as object)
    this.#cursor = cursor
    this.#flags =
      (options.keyEncoding === 'utf8' ? entryFlags.textKeys : 0) |
      (options.valueEncoding === 'utf8' ? entryFlags.textValues : 0) |
      (options.keys === false ? entryFlags.withoutKeys : 0) |
      (options.values === false ? entryFlags.withoutValues : 0)
  }

  async _next(): Promise<(Bytes | undefined)[] | undefined> {
    const entry = native.next(this.#cursor, 1, highWaterMarkBytes, this.#flags)
    return entry.length ? entry : undefined
  }

  async _nextv(size: number): Promise<(Bytes | undefined)[][]> {
    const flat = native.next(this.#cursor, size, highWaterMarkBytes, this.#flags)
    return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index], flat[2 * index + 1]])
  }

  _seek(target: Bytes): void {
    native.seek(this.#cursor, target)
  }

  async _close(): Promise<void> {
    native.release(this.#cursor)
  }
}

const SnapshotBase = AbstractSnapshot as unknown as new (options: object) => AbstractSnapshot

class StoreSnapshot extends SnapshotBase {
  readonly handle: Snapshot

  constructor(options: object, handle: Snapshot) {
    super(options)
    this.handle = handle
  }

  async _close(): Promise<void> {
    native.release(this.handle)
  }
}
