import { type Frame, frameOf, prefixLength } from './message.ts'

/** The most bytes of a message, and of what precedes its body, that are kept. */
const longestKept = 2 ** 22
const longestHead = 2 ** 16

/** A message in bytes. The body of one that is too long is not kept. */
export interface Received {
  readonly head: Uint8Array
  readonly body: Uint8Array | undefined
}

/** Cuts what a connection receives into messages, in memory that is bounded. */
export class Frames {
  #kept = new Uint8Array(prefixLength)
  #filled = 0
  #frame: Frame | undefined
  /** Bytes of a message to come that are not kept. */
  #skipped = 0

  /**
   * Calls `receive` for each message that is complete with these bytes.
   *
   * @throws {HalError} `EIO` if there is no telling where the next message starts
   */
  push(chunk: Uint8Array, receive: (message: Received) => void): void {
    for (let at = 0; at < chunk.length || this.#isFull; ) {
      if (this.#isFull) {
        this.#next(receive)
        continue
      }
      const wanted = this.#filled < this.#kept.length ? this.#kept.length - this.#filled : this.#skipped
      const part = chunk.subarray(at, at + wanted)
      if (this.#filled < this.#kept.length) {
        this.#kept.set(part, this.#filled)
        this.#filled += part.length
      } else this.#skipped -= part.length
      at += part.length
    }
  }

  get #isFull(): boolean {
    return this.#filled === this.#kept.length && this.#skipped === 0
  }

  #next(receive: (message: Received) => void): void {
    const [frame, kept] = [this.#frame, this.#kept]
    if (frame === undefined) {
      this.#frame = frameOf(kept)
      const { start, length } = this.#frame
      const most = length <= longestKept ? length : start <= longestHead ? start : prefixLength
      this.#kept = new Uint8Array(most)
      this.#kept.set(kept)
      this.#skipped = length - most
      return
    }
    this.#frame = undefined
    this.#kept = new Uint8Array(prefixLength)
    this.#filled = 0
    if (kept.length < frame.start) return
    const body = kept.length === frame.length ? kept.subarray(frame.start) : undefined
    receive({ head: kept.subarray(0, frame.start), body })
  }
}
