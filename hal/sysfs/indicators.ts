import { readFileSync, writeFileSync } from 'node:fs'
import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import type { Indicator, IndicatorState } from '../indicators.ts'
import { failure, known } from './read.ts'

/** The back end `leds` of a board file, e.g. `{ "type": "leds", "led": "identify" }`. Times are in milliseconds. */
export interface LedOptions {
  readonly name: string
  /** Its name in `folder`. */
  readonly led?: unknown
  /** That it is lit and dark in turns while it blinks. Default 500 each. */
  readonly delayOn?: unknown
  readonly delayOff?: unknown
  /** The folder of the LEDs. Default `/sys/class/leds`. */
  readonly folder?: unknown
}

/** {@link LedOptions} in a board file. */
export const ledOptions = {
  type: 'object',
  required: ['led'],
  properties: {
    led: { type: 'string', description: 'Its name in the folder' },
    delayOn: { type: 'integer', minimum: 1, description: 'Milliseconds that it is lit while it blinks; default 500' },
    delayOff: { type: 'integer', minimum: 1, description: 'Milliseconds that it is dark while it blinks; default 500' },
    folder: { type: 'string', description: 'Default /sys/class/leds' }
  }
} as const

/**
 * A lamp that the kernel drives (Linux, Documentation/leds/leds-class.rst): blinking is its trigger `timer`.
 *
 * @throws {HalError} one sentence: `EINVAL` for options that are wrong, `ENODEV` when there is no such LED
 */
export function ledIndicator(options: LedOptions): Indicator {
  const { name, led, delayOn = 500, delayOff = 500, folder = '/sys/class/leds' } = options
  const refuse = (reason: string) => new HalError('EINVAL', `${name}: ${reason}`)
  if (typeof folder !== 'string') throw refuse('folder must be a folder')
  if (typeof led !== 'string' || !/^[^/]+$/.test(led)) throw refuse('it needs the name of a led')
  for (const delay of [delayOn, delayOff]) {
    if (!Number.isInteger(delay) || (delay as number) < 1) throw refuse('delayOn and delayOff are milliseconds')
  }
  return new Led(name, `${folder}/${led}`, [delayOn as number, delayOff as number], known(folder))
}

class Led implements Indicator {
  readonly #name: string
  readonly #path: string
  readonly #delays: readonly [on: number, off: number]
  readonly #most: string
  readonly #listeners = new Listeners<IndicatorState>()
  #state: IndicatorState
  #closed = false

  constructor(name: string, path: string, delays: readonly [number, number], known: string) {
    this.#name = name
    this.#path = path
    this.#delays = delays
    try {
      this.#most = this.#read('max_brightness')
      this.#state = this.#shown()
    } catch (error) {
      if (!(error instanceof HalError) || error.code !== 'ENODEV') throw error
      throw new HalError('ENODEV', `${name}: there is no LED ${path}: there is ${known}`, { cause: error })
    }
  }

  get state(): IndicatorState {
    return this.#state
  }

  async set(state: IndicatorState): Promise<void> {
    if (this.#closed) throw new HalError('ENODEV', `${this.#name}: the lamp is closed`)
    if (state === this.#state) return
    try {
      this.#show(state)
    } catch (error) {
      // Half way it may show something else.
      this.#became(this.#shown())
      throw error
    }
    this.#became(state)
  }

  on(listener: (state: IndicatorState) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#listeners.clear()
  }

  #show(state: IndicatorState): void {
    if (state === 'Blinking') {
      this.#write('trigger', 'timer')
      this.#delay('delay_on', this.#delays[0])
      this.#delay('delay_off', this.#delays[1])
      return
    }
    this.#write('trigger', 'none')
    this.#write('brightness', state === 'Lit' ? this.#most : '0')
  }

  /** The kernel makes these files with the trigger, for root: they are left alone where they say what they should. */
  #delay(file: string, milliseconds: number): void {
    if (Number(this.#read(file)) !== milliseconds) this.#write(file, String(milliseconds))
  }

  #shown(): IndicatorState {
    if (this.#read('trigger').split(' ').includes('[timer]')) return 'Blinking'
    return this.#read('brightness') === '0' ? 'Off' : 'Lit'
  }

  #became(state: IndicatorState): void {
    if (state === this.#state) return
    this.#state = state
    this.#listeners.emit(state)
  }

  #read(file: string): string {
    return this.#attempt(file, (path) => readFileSync(path, 'utf8').trim())
  }

  #write(file: string, text: string): void {
    this.#attempt(file, (path) => writeFileSync(path, text, { flag: 'r+' }))
  }

  #attempt<Result>(file: string, action: (path: string) => Result): Result {
    try {
      return action(`${this.#path}/${file}`)
    } catch (error) {
      throw failure(this.#name, error)
    }
  }
}
