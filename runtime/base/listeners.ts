/** Those who want to hear of one device's events. A listener that throws is a bug: the error goes to the emitter. */
export class Listeners<Event> {
  /** Replaced by each change: an event goes to those who listened when it began. */
  #listeners: readonly ((event: Event) => void)[] = none

  /** Adds a listener; the function returned removes it again. */
  add(listener: (event: Event) => void): () => void {
    this.#listeners = [...this.#listeners, listener]
    let isAdded = true
    return () => {
      const at = isAdded ? this.#listeners.indexOf(listener) : -1
      isAdded = false
      if (at >= 0) this.#listeners = this.#listeners.toSpliced(at, 1)
    }
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) listener(event)
  }

  clear(): void {
    this.#listeners = none
  }
}

/** One for all: of the many devices of a fleet most have no listener. */
const none: readonly never[] = []
