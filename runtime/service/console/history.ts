/** The last bytes of something that goes on. */
export class History {
  readonly #limit: number
  /** Twice the limit at most, so that bytes are moved seldom. */
  #bytes = new Uint8Array()
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(bytes: Uint8Array): void {
    const last = bytes.subarray(Math.max(0, bytes.length - this.#limit))
    if (this.#length + last.length > this.#bytes.length) this.#makeRoom(last.length)
    this.#bytes.set(last, this.#length)
    this.#length += last.length
  }

  /** A copy. */
  get bytes(): Uint8Array {
    return this.#bytes.slice(Math.max(0, this.#length - this.#limit), this.#length)
  }

  #makeRoom(more: number): void {
    const kept = this.bytes
    const wanted = Math.min(2 * this.#limit, 2 * (kept.length + more))
    if (wanted > this.#bytes.length) this.#bytes = new Uint8Array(wanted)
    this.#bytes.set(kept)
    this.#length = kept.length
  }
}
