import { readFileSync, statSync, writeFileSync } from 'node:fs'

/** The output of a machine's serial port: the current file and the one before it, each of about this many bytes. */
export class SerialLog {
  readonly #file: string
  readonly #limit: number

  constructor(file: string, limit: number) {
    this.#file = file
    this.#limit = limit
  }

  /** Empties a file that has grown too large, after a copy. QEMU goes on at its end, wherever that is (`O_APPEND`). */
  bound(): void {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
    if (size <= this.#limit) return
    writeFileSync(`${this.#file}.1`, readFileSync(this.#file))
    writeFileSync(this.#file, '')
  }
}
