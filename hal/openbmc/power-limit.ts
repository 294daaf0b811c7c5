import { Variant } from '../dbus/values.ts'
import { checkLimit, type PowerLimit, type PowerLimitSetting, type PowerRange } from '../power-limit.ts'
import type { HostOptions, Objects } from './objects.ts'
import { put, sharedState } from './shared-state.ts'

const capInterface = 'xyz.openbmc_project.Control.Power.Cap'

export const powerLimitInterfaces = [capInterface]

/** A power cap, whose range the bus tells. The range stays known while the bus is away. */
export function openbmcPowerLimit(objects: Objects, { name, host = 0 }: HostOptions): PowerLimit {
  const path = `/xyz/openbmc_project/control/host${host}/power_cap`
  const property = (each: string) => objects.properties(path, capInterface)?.get(each)
  const putIn = (each: string, value: Variant) => put(objects, path, capInterface, each, value)
  let range: PowerRange | undefined

  const read = (): PowerLimitSetting | undefined => {
    const [minimum, maximum] = [property('MinPowerCapValue'), property('MaxPowerCapValue')]
    // One that the daemon does not know is 0, or the highest number.
    if (typeof minimum === 'number' && typeof maximum === 'number' && minimum < maximum) range = { minimum, maximum }
    const [watts, enabled] = [property('PowerCap'), property('PowerCapEnable')]
    return typeof watts === 'number' && typeof enabled === 'boolean' && range ? { watts, enabled } : undefined
  }
  const store = async ({ watts, enabled }: Partial<PowerLimitSetting>) => {
    checkLimit(name, range as PowerRange, watts)
    if (watts !== undefined && watts !== property('PowerCap'))
      await putIn('PowerCap', new Variant('u', Math.round(watts)))
    if (enabled !== undefined && enabled !== property('PowerCapEnable'))
      await putIn('PowerCapEnable', new Variant('b', enabled))
  }
  const shared = sharedState(objects, { name, paths: [path], read, store })
  return {
    shared,
    get range() {
      return range
    },
    get watts() {
      return shared.state?.enabled ? shared.state.watts : undefined
    },
    set: (watts) => shared.set(watts === undefined ? { enabled: false } : { watts, enabled: true }),
    close: () => shared.close()
  }
}
