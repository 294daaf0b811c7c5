import { Variant } from '../dbus/values.ts'
import type { Watchdog, WatchdogSettings } from '../watchdog.ts'
import { type HostOptions, type Objects, wordOf } from './objects.ts'
import { put, sharedState } from './shared-state.ts'

const watchdogInterface = 'xyz.openbmc_project.State.Watchdog'

export const watchdogInterfaces = [watchdogInterface]

/** `ExpireAction` of each action. */
const actions: Readonly<Record<WatchdogSettings['action'], string>> = {
  None: 'None',
  ResetSystem: 'HardReset',
  PowerCycle: 'PowerCycle',
  PowerDown: 'PowerOff'
}

/** The watchdog timer of a host, which is unknown where its daemon does not run. */
export function openbmcWatchdog(objects: Objects, { name, host = 0 }: HostOptions): Watchdog {
  const path = `/xyz/openbmc_project/watchdog/host${host}`
  const property = (each: string) => objects.properties(path, watchdogInterface)?.get(each)
  const putIn = (each: string, value: Variant) => put(objects, path, watchdogInterface, each, value)

  const read = (): WatchdogSettings | undefined => {
    const [enabled, word] = [property('Enabled'), wordOf(property('ExpireAction'))]
    const action = (Object.keys(actions) as WatchdogSettings['action'][]).find((each) => actions[each] === word)
    return typeof enabled === 'boolean' && action !== undefined ? { enabled, action } : undefined
  }
  const store = async ({ enabled, action }: Partial<WatchdogSettings>) => {
    // First: a timer that begins to run does what is wanted.
    if (action !== undefined)
      await putIn('ExpireAction', new Variant('s', `${watchdogInterface}.Action.${actions[action]}`))
    if (enabled !== undefined) await putIn('Enabled', new Variant('b', enabled))
  }
  return sharedState(objects, { name, paths: [path], read, store })
}
