import { readFileSync } from 'node:fs'
import { replaceFile } from '#runtime/base/files.ts'

/**
 * Says, in a file beside the store, how many batches were durable at some moment. A log that has lost its end, or all of
 * it, looks as it did before these batches: nothing in LevelDB's own files tells the two apart.
 */
export class Receipt {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** @param commit the number of the newest batch that is durable @throws the system's error */
  write(commit: number): void {
    replaceFile(this.#file, `${JSON.stringify({ commit })}\n`)
  }

  /** @returns the number; 0 if unknown */
  read(): number {
    try {
      const { commit } = JSON.parse(readFileSync(this.#file, 'utf8'))
      return Number.isSafeInteger(commit) ? commit : 0
    } catch {
      return 0
    }
  }
}
