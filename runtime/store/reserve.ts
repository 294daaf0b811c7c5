import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** Written at once. */
const piece = 65_536

/**
 * Room on the disk for removals: a file beside the store that is removed when the disk is full, because LevelDB writes
 * before it frees. Its content is random, so that no file system makes it smaller.
 */
export class Reserve {
  readonly #file: string
  readonly #size: number
  #isTaken: boolean

  /** @param size bytes; 0 keeps nothing */
  constructor(file: string, size: number) {
    this.#file = file
    this.#size = size
    this.#isTaken = this.#isThere()
  }

  get isTaken(): boolean {
    return this.#isTaken
  }

  /** Removes the file: what is written next has its room. */
  release(): void {
    this.#isTaken = this.#size === 0
    rmSync(this.#file, { force: true })
  }

  /** Removes the file, and has `take` not make it again before `review`. */
  lend(): void {
    rmSync(this.#file, { force: true })
  }

  /** Looks whether the file is there. */
  review(): void {
    this.#isTaken = this.#isThere()
  }

  #isThere(): boolean {
    return (statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) === this.#size
  }

  /** Makes the file unless it is there. @throws the system's error; the file is not there then */
  take(): void {
    if (this.#isTaken) return
    try {
      const descriptor = openSync(this.#file, 'w', 0o600)
      try {
        for (let left = this.#size; left > 0; left -= piece)
          writeFileSync(descriptor, randomBytes(Math.min(left, piece)))
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      this.#isTaken = true
    } catch (error) {
      rmSync(this.#file, { force: true })
      throw error
    }
  }
}
