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
  /** The figures of all columns, and how many samples they are made of. */
  readonly #present: Float32Array
  readonly #counts: Uint16Array
  #began = 0
  #samples = 0
  /** Of the steps that are over; absent before the first. */
  #rows: Float32Array | undefined
  /** When each of these began, and how many samples it has. */
  readonly #beginnings: Float64Array
  readonly #sizes: Uint16Array
  #over = 0

  /** @param step seconds */
  constructor(width: number, { step, steps }: { readonly step: number; readonly steps: number }) {
    this.#length = step * 1000
    this.#size = steps
    this.#present = new Float32Array(width * figures.length).fill(Number.NaN)
    this.#counts = new Uint16Array(width)
    this.#beginnings = new Float64Array(steps - 1)
    this.#sizes = new Uint16Array(steps - 1)
  }

  /** Adds a sample of all columns. @param time by the clock that never leaps */
  add(values: Float32Array, time: number): void {
    if (this.#samples > 0 && time - this.#began >= this.#length) this.#keep()
    if (this.#samples === 0) this.#began = time
    this.#samples += 1
    for (let column = 0; column < values.length; column += 1) {
      const value = values[column]!
      if (Number.isNaN(value)) continue
      const at = column * figures.length
      const before = this.#counts[column]!++
      const [average, minimum, maximum] = [this.#present[at]!, this.#present[at + 1]!, this.#present[at + 2]!]
      this.#present[at] = before === 0 ? value : (average * before + value) / (before + 1)
      if (!(minimum <= value)) this.#present[at + 1] = value
      if (!(maximum >= value)) this.#present[at + 2] = value
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

  /** Begins the next step. */
  #keep(): void {
    const place = this.#over % (this.#size - 1)
    this.#rows ??= new Float32Array((this.#size - 1) * this.#present.length)
    this.#rows.set(this.#present, place * this.#present.length)
    this.#beginnings[place] = this.#began
    this.#sizes[place] = this.#samples
    this.#over += 1
    this.#samples = 0
    this.#present.fill(Number.NaN)
    this.#counts.fill(0)
  }

  #each(look: (row: Float32Array, at: number, back: number, began: number, samples: number) => void): void {
    look(this.#present, 0, 0, this.#began, this.#samples)
    for (let back = 1; back <= Math.min(this.#over, this.#size - 1); back += 1) {
      const place = (this.#over - back) % (this.#size - 1)
      look(this.#rows!, place * this.#present.length, back, this.#beginnings[place]!, this.#sizes[place]!)
    }
  }
}

/** Steps in which nothing was measured. */
export const emptySteps = (steps: number) => ({
  average: new Float32Array(steps).fill(Number.NaN),
  minimum: new Float32Array(steps).fill(Number.NaN),
  maximum: new Float32Array(steps).fill(Number.NaN)
})
