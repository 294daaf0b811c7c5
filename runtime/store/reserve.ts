import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'

/** Bytes that are written at once. */
const piece = 16_384

/**
 * Room on the disk that is kept for the one thing that needs some when there is no other: opening the database anew. It
 * is a file of bytes that no file system can compress.
 */
export class Reserve {
  readonly #file: string
  readonly #size: number

  /** @param size bytes; 0 keeps no room */
  constructor(file: string, size: number) {
    this.#file = file
    this.#size = size
  }

  /** Takes the room, unless it is taken. @throws the system's error, with nothing taken */
  take(): void {
    if (this.#taken() === this.#size) return
    this.give()
    const descriptor = openSync(this.#file, 'wx', 0o600)
    try {
      for (let left = this.#size; left > 0; left -= piece) writeAll(descriptor, randomBytes(Math.min(left, piece)))
      fsyncSync(descriptor)
    } catch (error) {
      this.give()
      throw error
    } finally {
      closeSync(descriptor)
    }
  }

  /** Gives the room up. @returns whether that made any */
  give(): boolean {
    try {
      const taken = this.#taken()
      rmSync(this.#file, { force: true })
      return taken > 0
    } catch {
      return false
    }
  }

  #taken(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes.subarray(done))
}
