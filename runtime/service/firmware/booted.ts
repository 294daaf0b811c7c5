import { systemSettings } from '#data/system'
import type { State, Writes } from '#runtime/contract'

/**
 * The changes of the store when a host starts to boot: a boot override that was for one boot is used up.
 *
 * @returns undefined if nothing changes
 */
export function booted({ state, system }: { state: State; system: string }): Writes | undefined {
  if (systemSettings(state.get('system', system)).bootOverrideEnabled !== 'Once') return undefined
  return { system: { [system]: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } } }
}
