import { HalError } from '../errors.ts'
import type { SimOptions } from '../memory.ts'
import type { PowerLimit } from '../power-limit.ts'
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

export interface SimPowerLimit extends PowerLimit {
  /** Faults of the limit; set or delete its properties at any time. */
  readonly faults: Faults
}

export function simPowerLimit(options: SimPowerLimitOptions): SimPowerLimit {
  const { name = 'powerLimit', timeout = 2000, minimum, maximum } = options
  const faults = { ...options.faults }
  const gate = new Gate(name, faults, timeout)
  let limit: number | undefined
  return {
    faults,
    range: { minimum, maximum },
    get watts() {
      return limit
    },
    async set(watts) {
      await gate.accept('limit')
      if (watts !== undefined && (watts < minimum || watts > maximum))
        throw new HalError('EINVAL', `${name}: ${watts} W is not between ${minimum} and ${maximum}`)
      limit = watts
    },
    async close() {
      gate.close()
    }
  }
}
