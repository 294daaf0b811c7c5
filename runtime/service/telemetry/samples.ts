import { sumOfReadings } from '#data/sensors'
import {
  type collectionFunctions,
  type History,
  historyRanges,
  type MetricProperty,
  type Series
} from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'

/** Most steps of a day are older than the samples that are kept: each is worked out when it is over. */
const { step: longStep, steps: longSteps } = historyRanges.Day

/** The figures of a step, in their order in a row of `#long`. */
const figures = ['average', 'minimum', 'maximum'] as const

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
  /** A ring of rows, one for each step of a day that is over, with the figures of all properties; absent before the first. */
  #long: Float32Array | undefined
  #longTaken = 0
  /** When the present step of a day began, by the clock that never leaps; undefined before the first sample. */
  #longBegan: number | undefined

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
    this.#longBegan ??= elapsed()
    if (elapsed() - this.#longBegan < longStep * 1000) return
    this.#keepLong(this.#steps(longStep, 1))
    this.#longBegan = elapsed()
  }

  /** The averages and the extremes of the last steps of a range. */
  history(chassis: string, range: keyof typeof historyRanges): History {
    const { step, steps } = historyRanges[range]
    const all = range === 'Day' ? this.#day() : this.#steps(step, steps)
    return { end: this.#time, series: all.filter(({ property }) => property.chassis === chassis) }
  }

  #keepLong(step: readonly Series[]): void {
    const width = step.length * figures.length
    this.#long ??= new Float32Array(longSteps * width)
    const row = (this.#longTaken % longSteps) * width
    for (const [column, each] of step.entries())
      for (const [index, name] of figures.entries()) this.#long[row + column * figures.length + index] = each[name][0]!
    this.#longTaken += 1
  }

  /** The steps that are over, and the present one, from the samples since it began. */
  #day(): readonly Series[] {
    const end = this.#taken === 0 ? 0 : (this.#times[this.#place(0)] as number)
    const present = this.#steps((end - (this.#longBegan ?? end)) / 1000 + 1, 1)
    const width = present.length * figures.length
    return present.map(({ property, ...now }, column) => {
      const series = emptySteps(longSteps)
      for (const [index, name] of figures.entries()) {
        series[name][longSteps - 1] = now[name][0]!
        for (let back = 1; back <= Math.min(this.#longTaken, longSteps - 1); back += 1) {
          const row = ((this.#longTaken - back) % longSteps) * width
          series[name][longSteps - 1 - back] = this.#long![row + column * figures.length + index]!
        }
      }
      return { property, ...series }
    })
  }

  /** The last steps of all properties, from the samples that are kept. */
  #steps(step: number, steps: number): readonly Series[] {
    const width = this.#present.length
    const series = this.#properties.map((property) => ({ property, ...emptySteps(steps) }))
    const counts = new Uint16Array(width * steps)
    const end = this.#taken === 0 ? 0 : (this.#times[this.#place(0)] as number)
    for (let back = 0; back < Math.min(this.#taken, this.#times.length); back += 1) {
      const place = this.#place(back)
      const at = steps - 1 - Math.floor((end - (this.#times[place] as number)) / (step * 1000))
      if (at < 0) break
      for (const [column, each] of series.entries()) {
        const value = this.#rows[place * width + column]!
        if (Number.isNaN(value)) continue
        const before = counts[column * steps + at]!++
        each.average[at] = before === 0 ? value : (each.average[at]! * before + value) / (before + 1)
        if (!(each.minimum[at]! <= value)) each.minimum[at] = value
        if (!(each.maximum[at]! >= value)) each.maximum[at] = value
      }
    }
    return series
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

const emptySteps = (steps: number) => ({
  average: new Float32Array(steps).fill(Number.NaN),
  minimum: new Float32Array(steps).fill(Number.NaN),
  maximum: new Float32Array(steps).fill(Number.NaN)
})

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
