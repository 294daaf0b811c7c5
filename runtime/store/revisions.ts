/** Room for 2^32 changes in one start of the service. */
const perStart = 2 ** 32

/** The path of the readings of a chassis, which change by themselves. */
export const readingsOf = (chassis: string) => `readings/${chassis}`

/** The path of what moves with each poll of the sensors of a chassis: statistics, energy and the counters of parts. */
export const pollsOf = (chassis: string) => `readings/${chassis}/polls`

/** The path of what the last samples of the sensors say: metric reports that are made on request. */
export const samplesTaken = 'metricReport/samples/taken'

export const isReadings = (path: string) => path.startsWith('readings/')

/**
 * One clock for everything that can change: each change of a record or a device gets the next number. Numbers never
 * come again, not even after a restart, because each start of the service begins higher; entity tags rest on that.
 *
 * A path names what changed: `account/admin` is a record, `account/` the list of a table's keys, `power/1` a device.
 */
export class Revisions {
  #last: number
  #started: number
  readonly #of = new Map<string, number>()
  #listeners: readonly ((path: string) => void)[] = []

  /** @param start how often the service was started on this data directory, from 1 */
  constructor(start: number) {
    this.#started = start * perStart
    this.#last = this.#started
  }

  /** Goes on from somewhere in the room of this start. For a start that was not counted: the next one has the same room. */
  skip(): void {
    this.#started += Math.floor((Math.random() * perStart) / 2)
    this.#last = this.#started
  }

  /** The number for the next change, which `moved` then says of a path. */
  next(): number {
    this.#last += 1
    return this.#last
  }

  /** Says that a path changed, and tells who keeps something made from it. */
  moved(path: string, revision = this.next()): void {
    this.#of.set(path, revision)
    for (const listener of this.#listeners) listener(path)
  }

  /** Sets what a path was at before this start, without telling anyone. */
  restore(path: string, revision: number): void {
    this.#of.set(path, revision)
  }

  /** Stored records that are absent stand where their table stands; devices where this start began. */
  of(path: string): number {
    const known = this.#of.get(path)
    if (known !== undefined) return known
    const table = path.slice(0, path.indexOf('/') + 1)
    return this.#of.get(table) ?? 0
  }

  /** A device is first seen at the start of the service: what it was before is unknown. */
  device(path: string): void {
    this.#of.set(path, this.#started)
  }

  forget(path: string): void {
    this.#of.delete(path)
  }

  /** Calls back for each path; the function returned ends that. Those who react to records of one table listen to the store. */
  onMoved(listener: (path: string) => void): () => void {
    this.#listeners = [...this.#listeners, listener]
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== listener)
    }
  }
}
