import { sumOfReadings } from '#data/sensors'
import type { collectionFunctions, MetricProperty } from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'

/**
 * The last samples of all metric properties, in rings of a fixed size: one of times, by the clock that never leaps, and
 * one of rows with the values of all properties. What could not be read is NaN there.
 */
export class Samples {
  readonly #properties: readonly MetricProperty[]
  readonly #columns: Columns
  readonly #times: Float64Array
  readonly #rows: Float32Array
  /** The row that the next sample will be. */
  readonly #present: Float32Array
  #time = 0
  #taken = 0

  constructor(properties: readonly MetricProperty[], size: number) {
    this.#properties = properties
    this.#columns = columnsOf(properties)
    this.#times = new Float64Array(size)
    this.#rows = new Float32Array(size * properties.length)
    this.#present = new Float32Array(properties.length).fill(Number.NaN)
  }

  /** Milliseconds since 1970 of the last sample; 0 before the first. */
  get time(): number {
    return this.#time
  }

  /** How many were taken. */
  get taken(): number {
    return this.#taken
  }

  /** Reads the properties of those sensors of a chassis that have new readings. */
  update(chassis: string, changed: ReadonlySet<number>, read: (sensor: number) => number | undefined): void {
    const affected = this.#columns.affected.get(chassis)
    if (affected === undefined) return
    for (const number of changed) {
      for (const column of affected.get(number) ?? none) {
        const { sensors } = this.#properties[column]!
        const value = sensors.length === 1 ? read(number) : sumOfReadings(sensors.map(read))
        this.#present[column] = value ?? Number.NaN
      }
    }
  }

  take({ now, elapsed }: Clock): void {
    this.#taken += 1
    const place = this.#place(0)
    this.#time = now()
    this.#times[place] = elapsed()
    this.#rows.set(this.#present, place * this.#present.length)
  }

  /** The last value of a property. */
  last(uri: string): number | undefined {
    return this.#taken === 0 ? undefined : this.#value(uri, 0)
  }

  /**
   * The result of a function of the samples not older than `duration` milliseconds; failed readings are left out.
   *
   * @param now by the clock that never leaps
   *
   * @returns undefined if nothing is left
   */
  collect(uri: string, what: (typeof collectionFunctions)[number], duration: number, now: number): number | undefined {
    const values: number[] = []
    for (let back = 0; back < Math.min(this.#taken, this.#times.length); back += 1) {
      if ((this.#times[this.#place(back)] as number) <= now - duration) break
      const value = this.#value(uri, back)
      if (value !== undefined) values.push(value)
    }
    if (values.length === 0) return undefined
    if (what === 'Maximum') return Math.max(...values)
    if (what === 'Minimum') return Math.min(...values)
    const sum = values.reduce((so, each) => so + each, 0)
    return rounded(what === 'Summation' ? sum : sum / values.length)
  }

  /** The least, the greatest and the average of all samples that are kept, and the milliseconds between first and last. */
  summary(uri: string) {
    const kept = Math.min(this.#taken, this.#times.length)
    let [minimum, maximum, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
    for (let back = 0; back < kept; back += 1) {
      const value = this.#value(uri, back)
      if (value === undefined) continue
      if (value < minimum) minimum = value
      if (value > maximum) maximum = value
      sum += value
      count += 1
    }
    if (count === 0) return undefined
    const duration = (this.#times[this.#place(0)] as number) - (this.#times[this.#place(kept - 1)] as number)
    return { minimum, maximum, average: rounded(sum / count), duration }
  }

  #value(uri: string, back: number): number | undefined {
    const column = this.#columns.byUri.get(uri)
    const value = column === undefined ? Number.NaN : this.#rows[this.#place(back) * this.#present.length + column]!
    return Number.isNaN(value) ? undefined : rounded(value)
  }

  #place(back: number): number {
    return (this.#taken - 1 - back) % this.#times.length
  }
}

/** To hundredths, which the rings hold exactly enough. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

interface Columns {
  readonly byUri: ReadonlyMap<string, number>
  /** The columns that a sensor counts for, by its number, by its chassis. */
  readonly affected: ReadonlyMap<string, ReadonlyMap<number, readonly number[]>>
}

const none: readonly number[] = []

/** The columns of properties, once for all controllers of a fleet that have the same. */
const known = new WeakMap<readonly MetricProperty[], Columns>()

function columnsOf(properties: readonly MetricProperty[]): Columns {
  const found = known.get(properties)
  if (found !== undefined) return found
  const affected = new Map<string, Map<number, number[]>>()
  for (const [column, { chassis, sensors }] of properties.entries()) {
    const own = affected.get(chassis) ?? new Map<number, number[]>()
    affected.set(chassis, own)
    for (const number of sensors) own.set(number, [...(own.get(number) ?? none), column])
  }
  const columns = { byUri: new Map(properties.map(({ uri }, column) => [uri, column])), affected }
  known.set(properties, columns)
  return columns
}
