/** Those who want to hear of one device's events. A listener that throws is a bug: the error goes to the emitter. */
export class Listeners<Event> {
  /** Replaced by each change: an event goes to those who listened when it began. */
  #listeners: readonly ((event: Event) => void)[] = []

  /** Adds a listener; the function returned removes it again. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event) => listener(event)
    this.#listeners = [...this.#listeners, own]
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== own)
    }
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) listener(event)
  }

  clear(): void {
    this.#listeners = []
  }
}
