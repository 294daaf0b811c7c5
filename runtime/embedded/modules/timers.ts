import system, { type Watch } from 'minnow:system'

type Callback = (...values: unknown[]) => void

const longest = 2 ** 31 - 1

/** The result of setTimeout and setInterval: Node's Timeout. */
export class Timeout {
  readonly #callback: () => void
  readonly #delay: number
  readonly #repeats: boolean
  #watch: Watch | undefined
  #keepsAlive = true

  constructor(callback: () => void, delay: unknown, repeats: boolean) {
    const milliseconds = Math.trunc(Number(delay))
    this.#callback = callback
    this.#delay = milliseconds >= 1 && milliseconds <= longest ? milliseconds : 1
    this.#repeats = repeats
    this.refresh()
  }

  refresh(): this {
    this.close()
    this.#watch = system.startTimer(this.#delay, this.#repeats, () => {
      if (!this.#repeats) this.#watch = undefined
      this.#callback()
    })
    if (!this.#keepsAlive) system.keepAlive(this.#watch, false)
    return this
  }

  close(): this {
    if (this.#watch) system.stop(this.#watch)
    this.#watch = undefined
    return this
  }

  ref(): this {
    return this.#keepAlive(true)
  }

  unref(): this {
    return this.#keepAlive(false)
  }

  #keepAlive(whether: boolean): this {
    this.#keepsAlive = whether
    if (this.#watch) system.keepAlive(this.#watch, whether)
    return this
  }
}

/** The result of setImmediate. */
class Immediate {
  callback: (() => void) | undefined

  constructor(callback: () => void) {
    this.callback = callback
  }
}

const immediates: Immediate[] = []
let due = 0

system.onImmediate(() => {
  if (due === 0) due = immediates.length
  due -= 1
  const more = due > 0
  if (immediates.length > 1 && !more) system.wakeUp()
  immediates.shift()?.callback?.()
  return more
})

function check(callback: unknown): asserts callback is Callback {
  if (typeof callback === 'function') return
  const error = new TypeError('The "callback" argument must be of type function.')
  throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
}

const bind = (callback: Callback, values: unknown[]) => (values.length ? () => callback(...values) : () => callback())

export function setTimeout(callback: Callback, delay?: number, ...values: unknown[]): Timeout {
  check(callback)
  return new Timeout(bind(callback, values), delay, false)
}

export function setInterval(callback: Callback, delay?: number, ...values: unknown[]): Timeout {
  check(callback)
  return new Timeout(bind(callback, values), delay, true)
}

export function clearTimeout(timeout: unknown): void {
  if (timeout instanceof Timeout) timeout.close()
}

export const clearInterval = clearTimeout

export function setImmediate(callback: Callback, ...values: unknown[]): Immediate {
  check(callback)
  const immediate = new Immediate(bind(callback, values))
  if (immediates.push(immediate) === 1) system.wakeUp()
  return immediate
}

export function clearImmediate(immediate: unknown): void {
  if (immediate instanceof Immediate) immediate.callback = undefined
}
