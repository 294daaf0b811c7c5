import { SerialQueue } from '#runtime/base/serial-queue.ts'

/** The longest time of a timer, in milliseconds. */
const longest = 2 ** 31 - 1

interface Due {
  readonly at: number
  readonly run: () => Promise<void>
}

/**
 * The time of a fleet's scenario, in milliseconds from its beginning. It passes `speed` times as fast as real time,
 * stops at 0 and jumps on `advance`. Actions run in the order of their times, each after the previous one has settled.
 */
export class FleetTime {
  #speed: number
  /** The time at `#since`, by the clock of the process. */
  #passed = 0
  #since = performance.now()
  /** The time of what happens at present. */
  #present: number | undefined
  /** In the order of their times. */
  readonly #due: Due[] = []
  readonly #turns = new SerialQueue()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(speed: number) {
    this.#speed = speed
  }

  now(): number {
    return this.#present ?? this.#clock()
  }

  get speed(): number {
    return this.#speed
  }

  set speed(speed: number) {
    this.#setClock(this.#clock())
    this.#speed = speed
    this.#schedule()
  }

  /** Sets the time, of which nothing is due yet. */
  begin(at: number): void {
    this.#setClock(at)
    this.#schedule()
  }

  /** Runs something at a time, or as soon as possible after it. The function returned prevents that. It must not reject. */
  at(at: number, run: () => Promise<void>): () => void {
    const due = { at, run }
    const later = this.#due.findIndex((each) => each.at > at)
    this.#due.splice(later < 0 ? this.#due.length : later, 0, due)
    this.#schedule()
    return () => {
      const index = this.#due.indexOf(due)
      if (index >= 0) this.#due.splice(index, 1)
    }
  }

  /** Settles when all that is due then has happened. */
  advance(time: number): Promise<void> {
    this.#setClock(this.#clock() + time)
    return this.#turns.run(async () => {
      for (let due = this.#next(); due !== undefined; due = this.#next()) {
        this.#present = due.at
        await due.run()
        this.#present = undefined
      }
      this.#schedule()
    })
  }

  async close(): Promise<void> {
    this.#due.length = 0
    clearTimeout(this.#timer)
  }

  #clock(): number {
    return this.#passed + (performance.now() - this.#since) * this.#speed
  }

  #setClock(time: number): void {
    this.#passed = time
    this.#since = performance.now()
  }

  #next(): Due | undefined {
    const [first] = this.#due
    return first !== undefined && first.at <= this.#clock() ? this.#due.shift() : undefined
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const [first] = this.#due
    if (first === undefined || this.#speed === 0) return
    const wait = (first.at - this.#clock()) / this.#speed
    this.#timer = setTimeout(() => void this.advance(0), Math.min(Math.max(wait, 0), longest))
  }
}
