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
 * rows for those that are over, and the present one. A missing value is NaN.
 */
export class Steps {
  /** Milliseconds. */
  readonly #length: number
  /** How many are kept, with the present one. */
  readonly #size: number
  /** Of the present step: the sums of all columns, their minima, their maxima, and how many samples were not measured. */
  readonly #present: Float64Array
  readonly #columns: number
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
    this.#columns = width
    this.#width = width * figures.length
    this.#present = new Float64Array(this.#width + width)
    this.#begin()
  }

  /** Adds a sample of all columns. @param time by the clock that never leaps */
  add(values: Float32Array, time: number): void {
    if (this.#samples > 0 && time - this.#began >= this.#length) this.#keep()
    if (this.#samples === 0) this.#began = time
    this.#samples += 1
    // Each poll comes here with all columns. A lookup, also of a private field, or a call would cost the binary's
    // interpreter more than the rest of the loop.
    const present = this.#present
    const columns = this.#columns
    const [minima, maxima, failures] = [columns, 2 * columns, 3 * columns]
    const infinity = Number.POSITIVE_INFINITY
    for (let column = 0; column < columns; column++) {
      const value = values[column]!
      if (value < infinity) {
        present[column]! += value
        if (value < present[minima + column]!) present[minima + column] = value
        if (value > present[maxima + column]!) present[maxima + column] = value
      } else present[failures + column]! += 1
    }
  }

  /** The steps of a column, the present one last. */
  series(column: number): Omit<Series, 'property'> {
    const series = emptySteps(this.#size)
    this.#each(column, (values, back) => {
      for (const [index, name] of figures.entries()) series[name][this.#size - 1 - back] = values[index]!
    })
    return series
  }

  /** All samples of a column in the steps that began later than a time. */
  total(column: number, after: number): Total {
    const total = new Total()
    this.#each(column, ([average, minimum, maximum], _, began, samples) => {
      if (began > after) total.add(samples, average!, minimum!, maximum!, began)
    })
    return total
  }

  #begin(): void {
    this.#samples = 0
    const columns = this.#columns
    this.#present.fill(0)
    this.#present.fill(Number.POSITIVE_INFINITY, columns, 2 * columns)
    this.#present.fill(Number.NEGATIVE_INFINITY, 2 * columns, 3 * columns)
  }

  /** The figures of a column in the present step. */
  #figures(column: number): readonly [average: number, minimum: number, maximum: number] {
    const [sum, minimum, maximum, failures] = [0, 1, 2, 3].map((part) => this.#present[part * this.#columns + column]!)
    const count = this.#samples - failures!
    return count === 0 ? [Number.NaN, Number.NaN, Number.NaN] : [sum! / count, minimum!, maximum!]
  }

  #keep(): void {
    const size = this.#size - 1
    this.#kept ??= {
      rows: new Float32Array(size * this.#width),
      beginnings: new Float64Array(size),
      sizes: new Uint16Array(size)
    }
    const place = this.#over % size
    for (let column = 0; column < this.#columns; column++)
      this.#kept.rows.set(this.#figures(column), place * this.#width + column * figures.length)
    this.#kept.beginnings[place] = this.#began
    this.#kept.sizes[place] = this.#samples
    this.#over += 1
    this.#begin()
  }

  /** Shows the figures of a column in each step, the present one first. */
  #each(
    column: number,
    look: (figures: readonly number[] | Float32Array, back: number, began: number, samples: number) => void
  ): void {
    look(this.#figures(column), 0, this.#began, this.#samples)
    for (let back = 1; back <= Math.min(this.#over, this.#size - 1); back += 1) {
      const place = (this.#over - back) % (this.#size - 1)
      const { rows, beginnings, sizes } = this.#kept!
      const at = place * this.#width + column * figures.length
      look(rows.subarray(at, at + figures.length), back, beginnings[place]!, sizes[place]!)
    }
  }
}

/** Steps in which nothing was measured. */
export const emptySteps = (steps: number) => ({
  average: new Float32Array(steps).fill(Number.NaN),
  minimum: new Float32Array(steps).fill(Number.NaN),
  maximum: new Float32Array(steps).fill(Number.NaN)
})
