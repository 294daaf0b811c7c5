import { Listeners } from '#runtime/base/listeners.ts'
import { type Indicator, type IndicatorState, indicatorStates } from '../indicators.ts'
import { Memory, type SimOptions } from '../memory.ts'
import { type Faults, Gate, simOptions } from './faults.ts'

interface IndicatorFaults extends Faults {
  /** While true, the lamp accepts every state and goes on showing the one it has. */
  stuck?: boolean | undefined
}

/** Plain JSON but for `warn`. */
export interface SimIndicatorOptions extends SimOptions {
  /** The state of the lamp when none is kept. Default `Off`. */
  initial?: IndicatorState | undefined
  /** Faults from the start on. */
  faults?: IndicatorFaults | undefined
}

/** {@link SimIndicatorOptions} in a board file. */
export const simIndicatorOptions = {
  type: 'object',
  properties: {
    ...simOptions({ stuck: { type: 'boolean', description: 'The lamp keeps its present state' } }),
    initial: { type: 'string', enum: indicatorStates, description: 'At its first start; default Off' }
  }
} as const

export interface SimIndicator extends Indicator {
  /** Faults of the lamp; set or delete its properties at any time. */
  readonly faults: IndicatorFaults
}

/** A simulated lamp. */
export function simIndicator(options: SimIndicatorOptions = {}): SimIndicator {
  const { name = 'indicator', timeout = 2000 } = options
  const faults = { ...options.faults }
  const gate = new Gate(name, faults, timeout)
  const memory = new Memory<{ state: IndicatorState }>(name, options)
  const listeners = new Listeners<IndicatorState>()
  let state = memory.load(isKept)?.state ?? options.initial ?? 'Off'

  return {
    faults,
    get state() {
      return state
    },
    async set(wanted) {
      await gate.accept(wanted)
      if (faults.stuck || wanted === state) return
      state = wanted
      memory.save({ state })
      listeners.emit(state)
    },
    on: (listener) => listeners.add(listener),
    async close() {
      gate.close()
      listeners.clear()
    }
  }
}

function isKept(kept: unknown): kept is { state: IndicatorState } {
  const { state } = (kept ?? {}) as { state?: IndicatorState }
  return indicatorStates.includes(state!)
}
