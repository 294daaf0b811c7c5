import type { Board } from '#data/board'
import { type Condition, conditionKey, endOf, isOnBoard, isSeenBy, type Trouble, troublesOf } from '#data/health'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import type { Event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices } from '../machine/machine.ts'

/**
 * Seconds until a part that is not on the board counts as removed: if another program reports the parts, that program
 * may have to start first.
 */
const removedAfter = 300

/** Raises and clears the conditions of parts whose faults the discrete sensors of a chassis see. */
export class PartFaults {
  readonly #store: Pick<Store, 'get' | 'keys'>
  readonly #board: Board
  readonly #events: Pick<Events, 'emit'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #settling: number
  /** Since when conditions are over, by their keys and by the clock that never leaps. */
  readonly #over = new Map<string, number>()
  /** The keys of conditions whose events are on their way to the disk. */
  readonly #told = new Set<string>()

  /** @param settling seconds for which a fault must be over */
  constructor(
    store: Pick<Store, 'get' | 'keys'>,
    board: Board,
    events: Pick<Events, 'emit'>,
    clock: Pick<Clock, 'elapsed'>,
    settling: number
  ) {
    this.#store = store
    this.#board = board
    this.#events = events
    this.#clock = clock
    this.#settling = settling
  }

  watch(devices: Pick<Devices, 'sensors'>): void {
    for (const [id, sensors] of devices.sensors) sensors.on(() => this.#check(id, sensors))
  }

  #check(id: string, { partFaults = {} }: Sensors): void {
    const known = this.#store.keys('condition')
    if (known.length === 0 && Object.keys(partFaults).length === 0) return
    const troubles = troublesOf(this.#board, this.#store, id, partFaults)
    const present = new Set(troubles.map(({ origin, name }) => conditionKey(origin, name)))
    for (const key of present) this.#over.delete(key)
    for (const trouble of troubles) {
      const key = conditionKey(trouble.origin, trouble.name)
      if (!known.includes(key)) this.#tell(key, begin(trouble))
    }
    for (const key of known) {
      const ended = present.has(key) ? undefined : this.#ended(id, key)
      if (ended !== undefined && this.#lasts(key)) this.#tell(key, ended)
    }
  }

  /** The event at the end of a condition of a chassis that this watch has raised. */
  #ended(id: string, key: string): Event | undefined {
    const { origin, messageId, args } = this.#store.get('condition', key) as Condition
    const end = endOf(messageId)
    if (end === undefined || !isSeenBy(this.#board, id, origin)) return undefined
    return { message: { key: end, args }, origin, clears: key.slice(origin.length + 1) }
  }

  #lasts(key: string): boolean {
    const now = this.#clock.elapsed()
    const since = this.#over.get(key) ?? now
    this.#over.set(key, since)
    const { origin } = this.#store.get('condition', key) as Condition
    const seconds = isOnBoard(this.#board, origin) ? this.#settling : Math.max(removedAfter, this.#settling)
    return now - since >= seconds * 1000
  }

  #tell(key: string, event: Event): void {
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#over.delete(key)
    void this.#events.emit(event).finally(() => this.#told.delete(key))
  }
}

function begin({ origin, name, begins, args }: Trouble): Event {
  return { message: { key: begins, args }, origin, raises: name }
}
