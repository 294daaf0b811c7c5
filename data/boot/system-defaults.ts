import { resetPending } from '#data/bios'
import { type Machine, merged, type State, type Writes } from '#runtime/contract'
import { storedBootOrder } from './options.ts'
import { defaultBootOrder, setBootOrder } from './order.ts'

/** The writes that give a system its default settings: those of its BIOS at the next start, and what it boots from. */
export function systemDefaults(state: State, machine: Machine, system: string): Writes {
  const order = defaultBootOrder(state, machine, system)
  const stored = storedBootOrder(machine, system) === undefined ? {} : setBootOrder(state, machine, system, order)
  return merged(stored, {
    biosPending: { [system]: resetPending(state.get('biosPending', system)) },
    system: {
      [system]: {
        bootOverrideEnabled: 'Disabled',
        bootOverrideTarget: 'None',
        bootOverrideUefiTarget: null,
        httpBootUri: null,
        bootOrder: []
      }
    }
  })
}
