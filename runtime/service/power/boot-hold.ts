/** Work on a system that its boot waits for. A rejection ends the hold: the host boots without the rest. */
export type BootStep = (system: string) => Promise<void>

/**
 * Holds each host before it boots until the steps are done, one after another. Boots that begin before `open`, which go
 * on from the last process, wait for it; after `close` a host stays held, for the next process to go on with.
 */
export class BootHold {
  readonly #steps: Promise<readonly BootStep[]>
  #opened: (steps: readonly BootStep[]) => void = () => undefined
  #isClosed = false

  constructor() {
    this.#steps = new Promise((resolve) => {
      this.#opened = resolve
    })
  }

  /** For `BeforeBoot` of a system's power. */
  async beforeBoot(system: string): Promise<void> {
    for (const step of await this.#steps) {
      if (this.#isClosed) await never
      await step(system)
    }
    if (this.#isClosed) await never
  }

  open(...steps: readonly BootStep[]): void {
    this.#opened(steps)
  }

  close(): void {
    this.#isClosed = true
  }
}

/** A promise that never settles. */
const never = new Promise<void>(() => undefined)
