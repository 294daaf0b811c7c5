import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Options of every simulated device. */
export interface SimOptions {
  /** Existing folder in which the device keeps its state, as `<name>.json`; without it, the state is in memory only. */
  directory?: string | undefined
  /** Name of the device: of its file and in its error messages. */
  name?: string | undefined
  /** Milliseconds until an operation that the hardware does not answer fails. Default 2000. */
  timeout?: number | undefined
  /** Hears of a state file that could not be read or written; the device goes on without. Default `console.warn`. */
  warn?: ((message: string) => void) | undefined
}

/**
 * The memory of a device that has none of its own, which is the machine’s and not the service’s: it outlives the process. Files are
 * replaced as a whole, so a process killed at any moment leaves the old state or the new one.
 */
export class Memory<State> {
  readonly #path: string | undefined
  readonly #warn: (message: string) => void

  constructor(name: string, { directory, warn = console.warn }: SimOptions) {
    this.#path = directory === undefined ? undefined : `${directory}/${name}.json`
    this.#warn = warn
  }

  /** The state kept, or undefined when there is none yet. One that `check` rejects counts as damaged: a warning. */
  load(check: (state: unknown) => state is State): State | undefined {
    if (this.#path === undefined) return undefined
    try {
      const state: unknown = JSON.parse(readFileSync(this.#path, 'utf8'))
      if (check(state)) return state
      this.#warn(`${this.#path}: not a state of this device; starting with its initial state`)
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      if (code !== 'ENOENT') this.#warn(`${this.#path}: ${message}; starting with the device's initial state`)
    }
    return undefined
  }

  save(state: State): void {
    if (this.#path === undefined) return
    try {
      writeFileSync(`${this.#path}.tmp`, `${JSON.stringify(state)}\n`)
      renameSync(`${this.#path}.tmp`, this.#path)
    } catch (error) {
      this.#warn(`${this.#path}: ${(error as Error).message}; the device's state will not outlive this process`)
    }
  }
}
