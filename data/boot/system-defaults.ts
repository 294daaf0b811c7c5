import { hasBiosSettings, resetPending } from '#data/bios'
import { type Exists, type Machine, merged, type State, type Writes } from '#runtime/contract'
import { storedBootOrder } from './options.ts'
import { defaultBootOrder, setBootOrder } from './order.ts'
import { hasBootOverride } from './settings.ts'

/** `exists` of what gives a system its default settings: it has some that Minnow knows. */
export const ofSystemDefaults: Exists<'ComputerSystemId'> = ({ params, machine }) =>
  hasBiosSettings(machine, params.ComputerSystemId) || hasBootOverride(machine, params.ComputerSystemId)

/** The writes that give a system its default settings: those of its BIOS at the next start, and what it boots from. */
export function systemDefaults(state: State, machine: Machine, system: string): Writes {
  const order = defaultBootOrder(state, machine, system)
  const stored = storedBootOrder(machine, system) === undefined ? {} : setBootOrder(state, machine, system, order)
  return merged(stored, {
    ...(hasBiosSettings(machine, system) && {
      biosPending: { [system]: resetPending(state.get('biosPending', system)) }
    }),
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
