import { Listeners } from '#runtime/base/listeners.ts'
import type { EntryChange } from '../entries.ts'
import { HalError } from '../errors.ts'
import type { Objects } from './objects.ts'

const deletionOfAll = 'xyz.openbmc_project.Collection.DeleteAll'
const deletion = 'xyz.openbmc_project.Object.Delete'

export const entriesInterfaces = [deletion, deletionOfAll]

interface Reading<T> {
  /** Of the device, for messages. */
  readonly name: string
  /** The path of their collection: they are at `entry/<number>` below it. */
  readonly root: string
  /** The interface that each of them has. */
  readonly interface: string
  /** The entry at a path; undefined if it is absent or not complete. */
  read(path: string): T | undefined
  /** Whether an entry is not the one that had its number before: a daemon that has lost its entries counts from 1 again. */
  isOther(now: T, before: T): boolean
}

/** Numbered entries of a collection, as they are now; while their daemon is away, as they were last. */
export class Entries<T> {
  readonly #objects: Objects
  readonly #reading: Reading<T>
  readonly #listeners = new Listeners<EntryChange>()
  #entries: Map<number, T> | undefined
  isAvailable = false

  constructor(objects: Objects, reading: Reading<T>) {
    this.#objects = objects
    this.#reading = reading
    objects.on((changed) => this.look([...changed]))
    this.look(objects.paths(reading.interface))
  }

  get entries(): ReadonlyMap<number, T> | undefined {
    return this.#entries
  }

  async remove(number: number): Promise<void> {
    const path = this.need(number)
    await this.#objects.call(path, deletion, 'Delete')
    await this.#gone(number)
    this.look([path])
  }

  async clear(): Promise<void> {
    const numbers = [...(this.#entries?.keys() ?? [])]
    await this.#objects.call(this.#reading.root, deletionOfAll, 'DeleteAll')
    await Promise.all(numbers.map((number) => this.#gone(number)))
    this.look(numbers.map((number) => this.#path(number)))
  }

  on(listener: (change: EntryChange) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#objects.close()
  }

  /** The path of an entry that is there. @throws {HalError} `ENODEV` */
  need(number: number): string {
    const { name, read } = this.#reading
    const path = this.#path(number)
    if (read(path) === undefined) throw new HalError('ENODEV', `${name}: the bus has no entry ${number}`)
    return path
  }

  /** The number of the entry at a path: of 32 bits, from 1. */
  numberOf(path: string): number | undefined {
    const start = this.#path('')
    const digits = path.startsWith(start) ? path.slice(start.length) : ''
    return /^[1-9]\d{0,9}$/.test(digits) && Number(digits) < 2 ** 32 ? Number(digits) : undefined
  }

  /** Looks at the objects at some paths. Those of all entries are told when the daemon is there again. */
  look(paths: readonly string[]): void {
    const { root, read, isOther } = this.#reading
    const wasAvailable = this.isAvailable
    this.isAvailable = this.#objects.properties(root, deletionOfAll) !== undefined
    // Without the daemon, nothing says that an entry is gone.
    if (!this.isAvailable) {
      if (wasAvailable) this.#listeners.emit({ added: [], changed: new Set() })
      return
    }
    const known = this.#entries ?? new Map<number, T>()
    const isFirst = this.#entries === undefined
    const added: number[] = []
    const changed = new Set<number>()
    for (const path of paths) {
      const number = this.numberOf(path)
      if (number === undefined) continue
      const [before, now] = [known.get(number), read(path)]
      if (JSON.stringify(now) === JSON.stringify(before)) continue
      changed.add(number)
      if (now === undefined) known.delete(number)
      else known.set(number, now)
      if (now !== undefined && !isFirst && (before === undefined || isOther(now, before))) added.push(number)
    }
    this.#entries = known
    if (wasAvailable && changed.size === 0) return
    this.#listeners.emit({ added: added.sort((one, other) => one - other), changed })
  }

  #path(number: number | ''): string {
    return `${this.#reading.root}/entry/${number}`
  }

  #gone(number: number): Promise<void> {
    const path = this.#path(number)
    return this.#objects.until(path, () => this.#reading.read(path) === undefined)
  }
}
