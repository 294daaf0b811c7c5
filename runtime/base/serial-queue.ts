/** Runs one task after another, whether the one before it failed or not. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs a task when all that were given before it have ended; settles as the task does. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Settles when all tasks that were given so far have ended. Never fails. */
  async idle(): Promise<void> {
    await this.#last
  }
}
