import type { Series } from '#data/telemetry'

/** The figures of a step, in their order in a row. */
const figures = ['average', 'minimum', 'maximum'] as const

/** Of values, or of the steps that they are in. */
export class Total {
  count = 0
  sum = 0
  minimum = Number.POSITIVE_INFINITY
  maximum = Number.NEGATIVE_INFINITY
  /** The time of the first. */
  since = Number.POSITIVE_INFINITY

  /** @param average NaN: there was no value */
  add(count: number, average: number, minimum: number, maximum: number, time: number): void {
    this.since = Math.min(this.since, time)
    if (Number.isNaN(average)) return
    this.count += count
    this.sum += average * count
    this.minimum = Math.min(this.minimum, minimum)
    this.maximum = Math.max(this.maximum, maximum)
  }
}

/**
 * The averages and the extremes of samples in steps of a fixed length, which take less memory than the samples: a ring of
 * rows for those that are over, and the present one. What was not measured is NaN.
 */
export class Steps {
  /** Milliseconds. */
  readonly #length: number
  /** How many are kept, with the present one. */
  readonly #size: number
  /** The figures of all columns, and behind them how many samples each is made of. */
  readonly #present: Float32Array
  readonly #width: number
  #began = 0
  #samples = 0
  /** The figures of the steps that are over, when each began, and how many samples it has; absent before the first. */
  #kept: { readonly rows: Float32Array; readonly beginnings: Float64Array; readonly sizes: Uint16Array } | undefined
  #over = 0

  /** @param step seconds */
  constructor(width: number, { step, steps }: { readonly step: number; readonly steps: number }) {
    this.#length = step * 1000
    this.#size = steps
    this.#width = width * figures.length
    this.#present = new Float32Array(this.#width + width)
    this.#begin()
  }

  /** Adds a sample of all columns. @param time by the clock that never leaps */
  add(values: Float32Array, time: number): void {
    if (this.#samples > 0 && time - this.#began >= this.#length) this.#keep()
    if (this.#samples === 0) this.#began = time
    this.#samples += 1
    // Read once: each poll comes here with all columns, and a private field costs the binary's interpreter a lookup.
    const present = this.#present
    const counts = this.#width
    for (let column = 0; column < values.length; column += 1) {
      const value = values[column]!
      if (Number.isNaN(value)) continue
      const at = column * figures.length
      const count = ++present[counts + column]!
      present[at] = count === 1 ? value : present[at]! + (value - present[at]!) / count
      if (!(present[at + 1]! <= value)) present[at + 1] = value
      if (!(present[at + 2]! >= value)) present[at + 2] = value
    }
  }

  /** The steps of a column, the present one last. */
  series(column: number): Omit<Series, 'property'> {
    const series = emptySteps(this.#size)
    this.#each((row, at, back) => {
      for (const [index, name] of figures.entries())
        series[name][this.#size - 1 - back] = row[at + column * figures.length + index]!
    })
    return series
  }

  /** All samples of a column in the steps that began later than a time. */
  total(column: number, after: number): Total {
    const total = new Total()
    this.#each((row, at, _, began, samples) => {
      const [average, minimum, maximum] = row.subarray(at + column * figures.length)
      if (began > after) total.add(samples, average!, minimum!, maximum!, began)
    })
    return total
  }

  #begin(): void {
    this.#samples = 0
    this.#present.fill(Number.NaN, 0, this.#width)
    this.#present.fill(0, this.#width)
  }

  #keep(): void {
    const size = this.#size - 1
    this.#kept ??= {
      rows: new Float32Array(size * this.#width),
      beginnings: new Float64Array(size),
      sizes: new Uint16Array(size)
    }
    const place = this.#over % size
    this.#kept.rows.set(this.#present.subarray(0, this.#width), place * this.#width)
    this.#kept.beginnings[place] = this.#began
    this.#kept.sizes[place] = this.#samples
    this.#over += 1
    this.#begin()
  }

  #each(look: (row: Float32Array, at: number, back: number, began: number, samples: number) => void): void {
    look(this.#present, 0, 0, this.#began, this.#samples)
    for (let back = 1; back <= Math.min(this.#over, this.#size - 1); back += 1) {
      const place = (this.#over - back) % (this.#size - 1)
      const { rows, beginnings, sizes } = this.#kept!
      look(rows, place * this.#width, back, beginnings[place]!, sizes[place]!)
    }
  }
}

/** Steps in which nothing was measured. */
export const emptySteps = (steps: number) => ({
  average: new Float32Array(steps).fill(Number.NaN),
  minimum: new Float32Array(steps).fill(Number.NaN),
  maximum: new Float32Array(steps).fill(Number.NaN)
})
