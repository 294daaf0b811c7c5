import { HalError } from '../errors.ts'
import type { SimOptions } from '../memory.ts'
import { checkLimit, type PowerLimit, type PowerRange } from '../power-limit.ts'
import { type Faults, Gate, simOptions } from './faults.ts'

export interface SimPowerLimitOptions extends SimOptions {
  /** Watts. */
  readonly minimum: number
  readonly maximum: number
  /** Faults from the start on. */
  readonly faults?: Faults | undefined
}

/** {@link SimPowerLimitOptions} in a board file. */
export const simPowerLimitOptions = {
  type: 'object',
  required: ['minimum', 'maximum'],
  properties: {
    ...simOptions({}),
    minimum: { type: 'number', minimum: 0, description: 'The lowest limit that can be held, in watts' },
    maximum: { type: 'number', minimum: 0, description: 'The highest limit, in watts' }
  }
} as const

/** A simulated limit, which the simulated sensors follow. */
export class SimPowerLimit implements PowerLimit {
  /** Set or delete its properties at any time. */
  readonly faults: Faults
  readonly range: PowerRange
  readonly #name: string
  readonly #timeout: number
  #watts: number | undefined
  #closed = false

  constructor({ name = 'powerLimit', timeout = 2000, faults, ...range }: SimPowerLimitOptions) {
    this.faults = { ...faults }
    this.range = { minimum: range.minimum, maximum: range.maximum }
    this.#name = name
    this.#timeout = timeout
  }

  get watts(): number | undefined {
    return this.#watts
  }

  async set(watts: number | undefined): Promise<void> {
    await new Gate(this.#name, this.faults, this.#timeout).accept('limit')
    if (this.#closed) throw new HalError('ENODEV', `${this.#name}: the limit is closed`)
    checkLimit(this.#name, this.range, watts)
    this.#watts = watts
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}

export const simPowerLimit = (options: SimPowerLimitOptions) => new SimPowerLimit(options)
