/** The exports of `module.c` for `modules/level.ts`. Keys and values are given as a string (UTF-8) or a Uint8Array. */
declare module 'minnow:leveldb' {
  export type Bytes = string | Uint8Array
  /** An open store, owned by the binding and closed when it is collected. */
  export type Store = { readonly store: unique symbol }
  export type Snapshot = { readonly snapshot: unique symbol }
  export type Cursor = { readonly cursor: unique symbol }

  export interface StoreOptions {
    cacheSize: number
    writeBufferSize: number
    blockSize: number
    maxOpenFiles: number
    createIfMissing: boolean
    errorIfExists: boolean
    compression: boolean
  }

  const binding: {
    open(path: string, options: StoreOptions): Promise<Store>
    /** Refused while a cursor, a snapshot or a write is under way. */
    close(store: Store): Promise<void>
    /** Keys and values in turn; an undefined value deletes. */
    write(store: Store, batch: (Bytes | undefined)[], sync: boolean): Promise<void>
    /** Rewrites all entries. */
    compact(store: Store): Promise<void>
    get(store: Store, key: Bytes, text: boolean, snapshot?: Snapshot): Bytes | undefined
    snapshot(store: Store): Snapshot
    cursor(
      store: Store,
      lower: Bytes | undefined,
      lowerInclusive: boolean,
      upper: Bytes | undefined,
      upperInclusive: boolean,
      reverse: boolean,
      fillCache: boolean,
      snapshot?: Snapshot
    ): Cursor
    /** Keys and values in turn. `flags`: 1 text keys, 2 text values, 4 without keys, 8 without values. */
    next(cursor: Cursor, count: number, bytes: number, flags: number): (Bytes | undefined)[]
    seek(cursor: Cursor, target: Bytes): void
    release(view: Cursor | Snapshot): void
  }
  export default binding
}
