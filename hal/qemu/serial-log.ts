import { renameSync, statSync } from 'node:fs'

/** The output of a machine's serial port: the current file and the one before it, each of about this many bytes. */
export class SerialLog {
  readonly #file: string
  readonly #limit: number

  constructor(file: string, limit: number) {
    this.#file = file
    this.#limit = limit
  }

  /** Puts a file aside that has grown too large. @returns whether there was one: who writes it has to begin another */
  putAside(): boolean {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
    if (size <= this.#limit) return false
    renameSync(this.#file, `${this.#file}.1`)
    return true
  }
}
