/** The readings of sensors by their numbers, and the numbers of those that changed since the last poll. */
export class Readings {
  readonly #values = new Map<number, number>()
  #changed = new Set<number>()

  get(number: number): number | undefined {
    return this.#values.get(number)
  }

  set(number: number, value: number): void {
    if (this.#values.get(number) === value) return
    this.#values.set(number, value)
    this.#changed.add(number)
  }

  delete(number: number): void {
    if (this.#values.delete(number)) this.#changed.add(number)
  }

  clear(): void {
    for (const number of this.#values.keys()) this.#changed.add(number)
    this.#values.clear()
  }

  /** Whether it has no readings. */
  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** The number and the value of each. */
  [Symbol.iterator](): Iterator<[number, number]> {
    return this.#values[Symbol.iterator]()
  }

  /** The numbers whose readings were added, changed or removed since the last call. */
  changes(): ReadonlySet<number> {
    const changed = this.#changed
    if (changed.size > 0) this.#changed = new Set()
    return changed
  }
}
