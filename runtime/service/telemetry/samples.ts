import { sumOfReadings } from '#data/sensors'
import type { collectionFunctions, MetricProperty } from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'

/**
 * The last samples of all metric properties, in rings of a fixed size: one of times, by the clock that never leaps, and one for
 * each property. What
 * could not be read is NaN there.
 */
export class Samples {
  readonly #properties: readonly { readonly property: MetricProperty; readonly ring: Float32Array }[]
  readonly #rings: ReadonlyMap<string, Float32Array>
  readonly #times: Float64Array
  #time = 0
  #taken = 0

  constructor(properties: readonly MetricProperty[], size: number) {
    this.#times = new Float64Array(size)
    this.#properties = properties.map((property) => ({ property, ring: new Float32Array(size) }))
    this.#rings = new Map(this.#properties.map(({ property, ring }) => [property.uri, ring]))
  }

  /** Milliseconds since 1970 of the last sample; 0 before the first. */
  get time(): number {
    return this.#time
  }

  /** How many were taken. */
  get taken(): number {
    return this.#taken
  }

  take({ now, elapsed }: Clock, read: (chassis: string, sensor: number) => number | undefined): void {
    this.#taken += 1
    const place = this.#place(0)
    this.#time = now()
    this.#times[place] = elapsed()
    for (const { property, ring } of this.#properties) {
      const { chassis, sensors } = property
      // Nearly all are of one sensor, and all are taken every few seconds.
      const value =
        sensors.length === 1
          ? read(chassis, sensors[0] as number)
          : sumOfReadings(sensors.map((sensor) => read(chassis, sensor)))
      ring[place] = value ?? Number.NaN
    }
  }

  /** The last value of a property. */
  last(uri: string): number | undefined {
    const ring = this.#rings.get(uri)
    return this.#taken === 0 || ring === undefined ? undefined : known(ring[this.#place(0)])
  }

  /**
   * The result of a function of the samples not older than `duration` milliseconds; failed readings are left out.
   *
   * @param now by the clock that never leaps
   *
   * @returns undefined if nothing is left
   */
  collect(uri: string, what: (typeof collectionFunctions)[number], duration: number, now: number): number | undefined {
    const ring = this.#rings.get(uri)
    const values: number[] = []
    for (let back = 0; ring !== undefined && back < Math.min(this.#taken, this.#times.length); back += 1) {
      if ((this.#times[this.#place(back)] as number) <= now - duration) break
      const value = known(ring[this.#place(back)])
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
    const ring = this.#rings.get(uri)
    const kept = Math.min(this.#taken, this.#times.length)
    let [minimum, maximum, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
    for (let at = 0; ring !== undefined && at < kept; at += 1) {
      const value = ring[at] as number
      if (Number.isNaN(value)) continue
      if (value < minimum) minimum = value
      if (value > maximum) maximum = value
      sum += value
      count += 1
    }
    if (count === 0) return undefined
    const duration = (this.#times[this.#place(0)] as number) - (this.#times[this.#place(kept - 1)] as number)
    return { minimum, maximum, average: rounded(sum / count), duration }
  }

  #place(back: number): number {
    return (this.#taken - 1 - back) % this.#times.length
  }
}

function known(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : rounded(value)
}

/** To hundredths, which the rings hold exactly enough. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
