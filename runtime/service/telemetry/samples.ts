import { sumOfReadings } from '#data/sensors'
import {
  type collectionFunctions,
  type History,
  historyRanges,
  type MetricProperty,
  type Series
} from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'
import { emptySteps, Steps, Total } from './steps.ts'

/** How many samples there is room for at first. */
const firstSize = 8

/**
 * The last samples of all metric properties, in rings that grow to a fixed size: one of times, by the clock that never
 * leaps, and one of rows with the values of all properties, NaN for a failed reading. Older samples are kept as the
 * steps of an hour and of a day.
 */
export class Samples {
  readonly #properties: readonly MetricProperty[]
  readonly #columns: Columns
  readonly #size: number
  #times: Float64Array
  #rows: Float32Array
  /** The row that the next sample will be. */
  readonly #next: Float32Array
  /** Absent where the samples that are kept are those of an hour. */
  readonly #hour: Steps | undefined
  readonly #day: Steps
  #time = 0
  #taken = 0

  /** @param size how many samples are kept; @param interval seconds between two of them */
  constructor(properties: readonly MetricProperty[], size: number, interval: number) {
    this.#properties = properties
    this.#columns = columnsOf(properties)
    this.#size = size
    this.#times = new Float64Array(Math.min(size, firstSize))
    this.#rows = new Float32Array(this.#times.length * properties.length)
    this.#next = new Float32Array(properties.length).fill(Number.NaN)
    const { step, steps } = historyRanges.Hour
    this.#hour = size * interval >= step * steps ? undefined : new Steps(properties.length, historyRanges.Hour)
    this.#day = new Steps(properties.length, historyRanges.Day)
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
    const [next, properties] = [this.#next, this.#properties]
    const take = (column: number) => {
      const { sensors } = properties[column]!
      next[column] = (sensors.length === 1 ? read(sensors[0]!) : sumOfReadings(sensors.map(read))) ?? Number.NaN
    }
    for (const number of changed) {
      const columns = affected.get(number) ?? none
      if (typeof columns === 'number') take(columns)
      else columns.forEach(take)
    }
  }

  take({ now, elapsed }: Clock): void {
    if (this.#taken === this.#times.length && this.#taken < this.#size) this.#grow()
    this.#taken += 1
    const place = this.#place(0)
    this.#time = now()
    const time = elapsed()
    this.#times[place] = time
    this.#rows.set(this.#next, place * this.#properties.length)
    this.#hour?.add(this.#next, time)
    this.#day.add(this.#next, time)
  }

  /** Most services of a fleet are open for a few samples. */
  #grow(): void {
    const [times, rows] = [this.#times, this.#rows]
    this.#times = new Float64Array(Math.min(this.#size, 2 * times.length))
    this.#times.set(times)
    this.#rows = new Float32Array(this.#times.length * this.#properties.length)
    this.#rows.set(rows)
  }

  /** The averages and the extremes of the last steps of a range. */
  history(chassis: string, range: keyof typeof historyRanges): History {
    const all = this.#properties.flatMap((property, column): Series[] => {
      if (property.chassis !== chassis) return []
      const steps = range === 'Day' ? this.#day : range === 'Hour' ? this.#hour : undefined
      return [{ property, ...(steps?.series(column) ?? this.#steps(column, historyRanges[range])) }]
    })
    return { end: this.#time, series: all }
  }

  /** The steps of a property, from the samples that are kept. The last one ends with the last of these. */
  #steps(column: number, { step, steps }: { readonly step: number; readonly steps: number }) {
    const series = emptySteps(steps)
    const counts = new Uint16Array(steps)
    const end = this.#times[this.#place(0)] as number
    for (let back = 0; back < this.#kept; back += 1) {
      const at = steps - 1 - Math.floor((end - (this.#times[this.#place(back)] as number)) / (step * 1000))
      if (at < 0) break
      const value = this.#rows[this.#place(back) * this.#properties.length + column]!
      if (Number.isNaN(value)) continue
      const before = counts[at]!++
      series.average[at] = before === 0 ? value : (series.average[at]! * before + value) / (before + 1)
      if (!(series.minimum[at]! <= value)) series.minimum[at] = value
      if (!(series.maximum[at]! >= value)) series.maximum[at] = value
    }
    return series
  }

  /** The last value of a property. */
  last(uri: string): number | undefined {
    return this.#taken === 0 ? undefined : this.#value(uri, 0)
  }

  /**
   * The result of a function of the samples not older than `duration` milliseconds; failed readings are left out. Where
   * that is more than the samples that are kept, it is as exact as the steps of an hour.
   *
   * @param now by the clock that never leaps
   * @returns undefined if nothing is left
   */
  collect(uri: string, what: (typeof collectionFunctions)[number], duration: number, now: number): number | undefined {
    const { count, sum, minimum, maximum } = this.#over(uri, now - duration)
    if (count === 0) return undefined
    if (what === 'Maximum') return rounded(maximum)
    if (what === 'Minimum') return rounded(minimum)
    return rounded(what === 'Summation' ? sum : sum / count)
  }

  /** The least, the greatest and the average of an hour, and the milliseconds between its first and its last sample. */
  summary(uri: string) {
    const { count, sum, minimum, maximum, since } = this.#over(uri, Number.NEGATIVE_INFINITY)
    if (count === 0) return undefined
    const duration = (this.#times[this.#place(0)] as number) - since
    return { minimum: rounded(minimum), maximum: rounded(maximum), average: rounded(sum / count), duration }
  }

  /** The total of a property after a time of the clock that never leaps, with the time of its first sample. */
  #over(uri: string, after: number): Total {
    const column = this.#columns.byUri.get(uri)
    const total = new Total()
    if (column === undefined || this.#taken === 0) return total
    const oldest = this.#times[this.#place(this.#kept - 1)] as number
    if (this.#hour && this.#taken > this.#kept && oldest > after) return this.#hour.total(column, after)
    for (let back = 0; back < this.#kept; back += 1) {
      const time = this.#times[this.#place(back)] as number
      if (time <= after) break
      const value = this.#rows[this.#place(back) * this.#properties.length + column]!
      total.add(1, value, value, value, time)
    }
    return total
  }

  #value(uri: string, back: number): number | undefined {
    const column = this.#columns.byUri.get(uri)
    const value = column === undefined ? Number.NaN : this.#rows[this.#place(back) * this.#properties.length + column]!
    return Number.isNaN(value) ? undefined : rounded(value)
  }

  get #kept(): number {
    return Math.min(this.#taken, this.#times.length)
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
  /** The column that a sensor counts for, or several, by its number, by its chassis. */
  readonly affected: ReadonlyMap<string, ReadonlyMap<number, number | readonly number[]>>
}

const none: readonly number[] = []

/** The columns of properties, once for all controllers of a fleet that have the same. */
const known = new WeakMap<readonly MetricProperty[], Columns>()

function columnsOf(properties: readonly MetricProperty[]): Columns {
  const found = known.get(properties)
  if (found !== undefined) return found
  const affected = new Map<string, Map<number, number | number[]>>()
  for (const [column, { chassis, sensors }] of properties.entries()) {
    const own = affected.get(chassis) ?? new Map<number, number | number[]>()
    affected.set(chassis, own)
    for (const number of sensors) {
      const before = own.get(number)
      own.set(number, before === undefined ? column : [before, column].flat())
    }
  }
  const columns = { byUri: new Map(properties.map(({ uri }, column) => [uri, column])), affected }
  known.set(properties, columns)
  return columns
}
