/** Milliseconds between pieces. */
const every = 50

/**
 * Sends text at a limited rate: a serial line and the program behind it lose faster input. Typed text is sent at once,
 * unless earlier text is still being sent.
 */
export class Typist {
  readonly #send: (text: string) => void
  readonly #told: (left: number) => void
  #rest = ''
  #timer: ReturnType<typeof setInterval> | undefined
  /** Characters a second. */
  rate: number

  /** @param told called with the number of characters that are left, whenever it changes */
  constructor(send: (text: string) => void, told: (left: number) => void, rate: number) {
    this.#send = send
    this.#told = told
    this.rate = rate
  }

  /** @param isPasted whether it comes as a whole, and not from a keyboard */
  type(text: string, isPasted: boolean): void {
    if (!isPasted && this.#rest === '') {
      this.#send(text)
      return
    }
    this.#rest += text
    this.#told(this.#rest.length)
    this.#timer ??= setInterval(() => this.#sendPiece(), every)
  }

  /** Forgets what is left. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#rest = ''
    this.#told(0)
  }

  #sendPiece(): void {
    const most = Math.max(1, Math.round((this.rate * every) / 1000))
    // Whole characters: those beyond the first 65,536 have two parts.
    const piece = [...this.#rest.slice(0, most * 2)].slice(0, most).join('')
    this.#rest = this.#rest.slice(piece.length)
    this.#send(piece)
    if (this.#rest === '') this.stop()
    else this.#told(this.#rest.length)
  }
}
