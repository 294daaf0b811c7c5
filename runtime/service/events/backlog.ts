import { eventKey } from '#data/events'
import type { Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'

/**
 * The records of events and reports that are still needed: the newest events, for streams that resume after a broken
 * connection, and all that are queued for a subscriber. The next commit removes the others.
 */
export class Backlog {
  readonly #store: Store
  readonly #most: number
  /** The ids of the newest events, in order. */
  readonly #newest: number[] = []
  /** In how many queues each waits. */
  readonly #holders = new Map<number, number>()
  /** Records without a reader. */
  readonly #done = new Set<number>()

  /** @param most how many events are kept for streams */
  constructor(store: Store, most: number) {
    this.#store = store
    this.#most = most
  }

  /** Takes note of a record that was stored or has gone. */
  follow(table: 'event' | 'report', key: string): void {
    const id = Number(key)
    if (this.#store.get(table, key) === undefined) {
      this.#done.delete(id)
      this.#drop(id)
    } else if (table === 'report') this.#settle(id)
    else {
      this.#newest.push(id)
      while (this.#newest.length > this.#most) this.#settle(this.#newest.shift() as number)
    }
  }

  /** Called ahead of `follow` for each queue that a new record waits in. */
  hold(id: number): void {
    this.#holders.set(id, (this.#holders.get(id) ?? 0) + 1)
  }

  release(id: number): void {
    const left = (this.#holders.get(id) ?? 1) - 1
    if (left > 0) this.#holders.set(id, left)
    else {
      this.#holders.delete(id)
      this.#settle(id)
    }
  }

  /** The ids of the events that are kept, and came after one. */
  since(id: number): number[] {
    return this.#newest.filter((each) => each > id)
  }

  /**
   * The writes that remove records without a reader.
   *
   * @param coming how many events are about to be stored
   */
  cleared(coming: number): Writes {
    const outside = this.#newest.slice(0, Math.max(0, this.#newest.length + coming - this.#most))
    const gone = [...this.#done, ...outside.filter((id) => !this.#holders.has(id))].map(eventKey)
    const of = (table: 'event' | 'report') => gone.filter((key) => this.#store.get(table, key) !== undefined)
    const none = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, null]))
    return gone.length === 0 ? {} : { event: none(of('event')), report: none(of('report')) }
  }

  #settle(id: number): void {
    if (this.#holders.has(id)) return
    const first = this.#newest[0]
    const kept = first !== undefined && id >= first && this.#store.get('event', eventKey(id)) !== undefined
    if (!kept) this.#done.add(id)
  }

  #drop(id: number): void {
    const index = this.#newest.indexOf(id)
    if (index >= 0) this.#newest.splice(index, 1)
  }
}
