import { log } from '#runtime/base/log.ts'

/** The part of an answer that is needed here. */
interface Unfinished {
  /** All of it has left, as far as is known already. */
  readonly writableFinished: boolean
  readonly writableLength: number
  on(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/**
 * Answers that clients have not taken yet. When these are more bytes together than there may be, the one that has waited
 * longest is cut.
 */
export class UnreadAnswers {
  readonly #most: number
  /** Bytes of each, the oldest first. */
  readonly #waiting = new Map<Unfinished, number>()
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Takes note of an answer that was written. */
  add(response: Unfinished): void {
    const bytes = response.writableFinished ? 0 : response.writableLength
    if (bytes === 0) return
    this.#waiting.set(response, bytes)
    this.#bytes += bytes
    response.on('close', () => this.#forget(response))
    for (const oldest of this.#waiting.keys()) {
      if (this.#bytes <= this.#most || oldest === response) return
      this.#forget(oldest)
      log.debug('a connection was closed: its client did not read the answer')
      oldest.destroy()
    }
  }

  #forget(response: Unfinished): void {
    this.#bytes -= this.#waiting.get(response) ?? 0
    this.#waiting.delete(response)
  }
}
