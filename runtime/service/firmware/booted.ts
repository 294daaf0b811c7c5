import { systemSettings } from '#data/system'
import type { Machine, State, Writes } from '#runtime/contract'

/**
 * The changes of the store when a host starts to boot: a boot override that was for one boot is used up. One that another
 * program holds is not: the firmware has yet to ask for it.
 *
 * @returns undefined if nothing changes
 */
export function booted(state: State, machine: Machine, system: string): Writes | undefined {
  if (machine.bootOverrides(system) !== undefined) return undefined
  if (systemSettings(state.get('system', system)).bootOverrideEnabled !== 'Once') return undefined
  return { system: { [system]: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } } }
}
