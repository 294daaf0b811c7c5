/** Those who want to hear of one device's events. A listener that throws is a bug: the error goes to the emitter. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>()

  /** Adds a listener; the function returned removes it again. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event) => listener(event)
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  emit(event: Event): void {
    for (const listener of [...this.#listeners]) listener(event)
  }

  clear(): void {
    this.#listeners.clear()
  }
}
