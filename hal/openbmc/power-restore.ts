import { Variant } from '../dbus/values.ts'
import type { PowerRestoreSetting } from '../power-restore.ts'
import type { SharedState } from '../shared-state.ts'
import { type HostOptions, type Objects, wordOf } from './objects.ts'
import { put, sharedState } from './shared-state.ts'

const restoreInterface = 'xyz.openbmc_project.Control.Power.RestorePolicy'

export const powerRestoreInterfaces = [restoreInterface]

/** `PowerRestorePolicy` of each policy. */
const words = { AlwaysOn: 'AlwaysOn', AlwaysOff: 'AlwaysOff', LastState: 'Restore' } as const

/** The policy by which the state managers switch a host on after a loss of power. `None` does nothing: the host stays off. */
export function openbmcPowerRestore(
  objects: Objects,
  { name, host = 0 }: HostOptions
): SharedState<PowerRestoreSetting> {
  const path = `/xyz/openbmc_project/control/host${host}/power_restore_policy`
  const read = (): PowerRestoreSetting | undefined => {
    const word = wordOf(objects.properties(path, restoreInterface)?.get('PowerRestorePolicy'))
    if (word === 'None') return { policy: 'AlwaysOff' }
    const policy = (Object.keys(words) as PowerRestoreSetting['policy'][]).find((each) => words[each] === word)
    return policy && { policy }
  }
  const store = async ({ policy }: Partial<PowerRestoreSetting>) => {
    if (policy === undefined) return
    const value = new Variant('s', `${restoreInterface}.Policy.${words[policy]}`)
    await put(objects, path, restoreInterface, 'PowerRestorePolicy', value)
  }
  return sharedState(objects, { name, paths: [path], read, store })
}
