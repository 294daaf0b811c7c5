import { resetPending } from '#data'
import type { Machine, State, Writes } from '../handler.ts'
import { merged } from '../merge.ts'
import { bootOptions, storedBootOrder } from './boot-options.ts'
import { setBootOrder } from './boot-order.ts'

/** The writes that give a system its default settings: those of its BIOS at the next start, and what it boots from. */
export function systemDefaults(state: State, machine: Machine, system: string): Writes {
  const order = bootOptions(machine, system).map(({ reference }) => reference)
  const stored = storedBootOrder(machine, system) === undefined ? {} : setBootOrder(machine, system, order)
  return merged(stored, {
    biosPending: { [system]: resetPending(state.get('biosPending', system)) },
    system: {
      [system]: {
        bootOverrideEnabled: 'Disabled',
        bootOverrideTarget: 'None',
        bootOverrideUefiTarget: null,
        bootOrder: []
      }
    }
  })
}
