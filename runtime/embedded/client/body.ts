import { TextDecoder } from '../modules/encoding.ts'
import { RequestAbortedError } from './errors.ts'

/** The source of a body; it acts on the response under way only. */
export interface Source {
  pause(): void
  resume(): void
  /** Closes the connection instead of reading the rest. */
  abort(): void
}

const highWaterMark = 64 * 1024
const dumpLimit = 128 * 1024

/**
 * The body of a response: undici's BodyReadable without the rest of Node's streams. It can be taken once, in one way.
 */
export class Body implements AsyncIterable<Uint8Array> {
  readonly #source: Source
  readonly #announced: number
  #chunks: Uint8Array[] = []
  #waiting = 0
  #received = 0
  #paused = false
  #complete = false
  #used = false
  #error: Error | undefined
  #wake: (() => void) | undefined

  /** @param announced the Content-Length, or 0 */
  constructor(source: Source, announced: number) {
    this.#source = source
    this.#announced = announced
  }

  get bodyUsed(): boolean {
    return this.#used
  }

  get destroyed(): boolean {
    return this.#error !== undefined
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer
  }

  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
    let at = 0
    for (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  }

  /** Reads and discards the body; closes the connection after `limit` bytes. Never rejects. */
  async dump({ limit = dumpLimit }: { limit?: number } = {}): Promise<void> {
    this.#used = true
    try {
      if (this.#announced > limit) this.destroy()
      do if (this.#received > limit) this.destroy()
      while (await this.#next())
    } catch (error) {
      // The outcome of an unwanted body does not matter; only its end is reported.
      if (error !== this.#error) throw error
    }
  }

  /** Ends it: who takes it gets the error. */
  destroy(error: Error = new RequestAbortedError()): this {
    if (this.#complete && this.#chunks.length === 0) return this
    const aborts = !this.#complete && !this.#error
    this.fail(error)
    if (aborts) this.#source.abort()
    return this
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    if (this.#used) throw this.#error ?? new TypeError('unusable')
    this.#used = true
    try {
      for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk
    } finally {
      this.destroy()
    }
  }

  /** @internal */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    this.#received += chunk.length
    if (this.#waiting >= highWaterMark && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
    this.#wake?.()
  }

  /** @internal The body is complete. */
  finish(): void {
    this.#complete = true
    this.#wake?.()
  }

  /** @internal The body ends here, incomplete. */
  fail(error: Error): void {
    this.#error ??= error
    this.#chunks = []
    this.#waiting = 0
    this.#wake?.()
  }

  async #next(): Promise<Uint8Array | undefined> {
    while (!this.#error && !this.#chunks.length && !this.#complete) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#error) throw this.#error
    const chunk = this.#chunks.shift()
    this.#waiting -= chunk?.length ?? 0
    if (this.#paused && this.#waiting < highWaterMark) {
      this.#paused = false
      if (!this.#complete) this.#source.resume()
    }
    return chunk
  }
}
