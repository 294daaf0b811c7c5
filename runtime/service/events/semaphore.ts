/** A place among the notifications that are on their way to a listener. */
export interface Permit {
  /** Settles when a notification may be sent. */
  readonly granted: Promise<void>
  /** Has it granted now, beyond the bound. */
  force(): void
  /** Gives the place to the next one. To be called once, granted or not. */
  release(): void
}

/**
 * Bounds how many notifications are on their way to one listener at once. The controllers of a fleet share one: what
 * arrives for a subscriber while it waits goes with its next notification.
 */
export class Semaphore {
  readonly #most: number
  readonly #listeners = new Map<string, { count: number; readonly waiting: Set<() => void> }>()

  /** @param most notifications on their way, beside those that are forced */
  constructor(most: number) {
    this.#most = most
  }

  /** @param listener a name of it */
  take(listener: string): Permit {
    const here = this.#listeners.get(listener) ?? { count: 0, waiting: new Set() }
    this.#listeners.set(listener, here)
    let grant!: () => void
    const granted = new Promise<void>((resolve) => {
      grant = resolve
    })
    const force = () => {
      if (!here.waiting.delete(force)) return
      here.count += 1
      grant()
    }
    const release = () => {
      if (here.waiting.delete(force)) return
      here.count -= 1
      if (here.count < this.#most) here.waiting.values().next().value?.()
      if (here.count === 0) this.#listeners.delete(listener)
    }
    here.waiting.add(force)
    if (here.count < this.#most) force()
    return { granted, force, release }
  }
}
