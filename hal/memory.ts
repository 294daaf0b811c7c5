import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Keeps the states of simulated devices as texts, in place of files. */
export interface Keeper {
  /** The text under a name, as it was when the devices were opened. */
  get(name: string): string | undefined
  /** Returns at once; the text outlives the process a moment later, before anything that is set after it. */
  set(name: string, text: string): void
}

/** Options of every simulated device. */
export interface SimOptions {
  /** Existing folder in which the device keeps its state, as `<name>.json`; without it, the state is in memory only. */
  directory?: string | undefined
  /** Keeps the state in place of the folder. */
  keeper?: Keeper | undefined
  /** The supply of the whole machine failed since the state was kept. */
  supplyFailed?: boolean | undefined
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
  readonly #name: string
  readonly #keeper: Keeper | undefined
  readonly #warn: (message: string) => void

  constructor(name: string, { directory, keeper, warn = console.warn }: SimOptions) {
    const inFile = keeper === undefined && directory !== undefined
    this.#name = inFile ? `${directory}/${name}.json` : name
    this.#keeper = inFile ? files : keeper
    this.#warn = warn
  }

  /** The stored state, or undefined before the first write. A state that `check` rejects counts as damaged: a warning. */
  load(check: (state: unknown) => state is State): State | undefined {
    try {
      const text = this.#keeper?.get(this.#name)
      if (text === undefined) return undefined
      const state: unknown = JSON.parse(text)
      if (check(state)) return state
      this.#warn(`${this.#name}: not a state of this device; starting with its initial state`)
    } catch (error) {
      this.#warn(`${this.#name}: ${(error as Error).message}; starting with the device's initial state`)
    }
    return undefined
  }

  save(state: State): void {
    try {
      this.#keeper?.set(this.#name, `${JSON.stringify(state)}\n`)
    } catch (error) {
      this.#warn(`${this.#name}: ${(error as Error).message}; the device's state will not outlive this process`)
    }
  }
}

/** A file each. */
const files: Keeper = {
  get(path) {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined
      throw error
    }
  },
  set(path, text) {
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  }
}
