import { readFileSync, statSync, writeFileSync } from 'node:fs'

/** Milliseconds between checks of its size. */
const lookEvery = 1000

/** The output of a machine's serial port: the current file and the one before it, each of about this many bytes. */
export class SerialLog {
  readonly #file: string
  readonly #limit: number
  readonly #warn: (text: string) => void
  readonly #timer: NodeJS.Timeout
  /** A warning said that the log cannot be kept within its bound. */
  #isStuck = false

  constructor(file: string, limit: number, warn: (text: string) => void) {
    this.#file = file
    this.#limit = limit
    this.#warn = warn
    this.#timer = setInterval(() => this.bound(), lookEvery)
    this.#timer.unref()
  }

  /**
   * Empties a file that has grown too large, after a copy; logs the obstacle once. QEMU goes on at its end, wherever that
   * is (`O_APPEND`).
   */
  bound(): void {
    try {
      const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
      if (size > this.#limit) {
        writeFileSync(`${this.#file}.1`, readFileSync(this.#file))
        writeFileSync(this.#file, '')
      }
      this.#isStuck = false
    } catch (error) {
      if (!this.#isStuck) this.#warn(`qemu: the log of the serial port has no bound: ${(error as Error).message}`)
      this.#isStuck = true
    }
  }

  /** Leaves the files as they are from now on. */
  close(): void {
    clearInterval(this.#timer)
  }
}
