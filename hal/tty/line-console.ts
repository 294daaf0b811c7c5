import { concatenated } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { type Console, consoleQueue } from '../console.ts'
import { HalError } from '../errors.ts'
import type { Tty, TtyEvents } from './tty.ts'

/** Milliseconds until the rest of what the line did not take at once is tried again. */
const retryAfter = 10

/** A console over a line, which may end, and another one take its place. Without one it is silent. */
export class LineConsole implements Console {
  readonly #name: string
  readonly #lost: (error: HalError) => void
  readonly #listeners = new Listeners<Uint8Array>()
  #line: Tty | undefined
  #queue = new Uint8Array()
  #retry: ReturnType<typeof setTimeout> | undefined

  /** @param lost called when the line has ended by itself: it is closed */
  constructor(name: string, lost: (error: HalError) => void) {
    this.#name = name
    this.#lost = lost
  }

  get isOpen(): boolean {
    return this.#line !== undefined
  }

  /** Opens a line; none may be open yet. @throws {HalError} as `open` */
  take(open: (events: TtyEvents) => Tty): void {
    this.#line = open({
      data: (bytes) => this.#listeners.emit(bytes),
      failed: (error) => this.#lose(error)
    })
  }

  write(bytes: Uint8Array): void {
    if (this.#line === undefined) throw new HalError('ENODEV', `${this.#name}: nothing listens`)
    if (this.#queue.length + bytes.length > consoleQueue)
      throw new HalError('EBUSY', `${this.#name}: the line accepts no more bytes`)
    this.#queue = concatenated([this.#queue, bytes])
    if (this.#retry === undefined) this.#send(this.#line)
  }

  /** Of a serial line only: a socket has no breaks. */
  protected async holdBreak(milliseconds: number): Promise<void> {
    const line = this.#line
    if (line === undefined) throw new HalError('ENODEV', `${this.#name}: nothing listens`)
    line.setBreak(true)
    await sleep(milliseconds)
    if (this.#line === line) line.setBreak(false)
  }

  on(listener: (bytes: Uint8Array) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#end()
  }

  #send(line: Tty): void {
    this.#retry = undefined
    try {
      this.#queue = this.#queue.slice(line.write(this.#queue))
    } catch (error) {
      this.#lose(error as HalError)
      return
    }
    if (this.#queue.length > 0) this.#retry = setTimeout(() => this.#send(line), retryAfter)
  }

  #lose(error: HalError): void {
    this.#end()
    this.#lost(error)
  }

  #end(): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#line?.close()
    this.#line = undefined
    this.#queue = new Uint8Array()
  }
}
