import type { SecureBootState } from '../bios.ts'
import { Variant } from '../dbus/values.ts'
import type { SharedState } from '../shared-state.ts'
import { secureBootModes } from '../uefi/variables.ts'
import { type Objects, wordOf } from './objects.ts'
import { put, sharedState } from './shared-state.ts'

const secureBootInterface = 'xyz.openbmc_project.BIOSConfig.SecureBoot'
const path = '/xyz/openbmc_project/bios_config/secure_boot'

export const secureBootInterfaces = [secureBootInterface]

/** Secure boot as the firmware tells it. It takes `Enable` at its next start. */
export function openbmcSecureBoot(objects: Objects, name: string): SharedState<SecureBootState> {
  const property = (each: string) => objects.properties(path, secureBootInterface)?.get(each)
  const read = (): SecureBootState | undefined => {
    const enabled = property('Enable')
    if (typeof enabled !== 'boolean') return undefined
    const [current, mode] = [wordOf(property('CurrentBoot')), wordOf(property('Mode'))]
    return {
      current: current === 'Enabled' || current === 'Disabled' ? current : null,
      enabled,
      mode: secureBootModes.find((each) => each === mode) ?? null
    }
  }
  const store = async ({ enabled }: Partial<SecureBootState>) => {
    if (enabled !== undefined) await put(objects, path, secureBootInterface, 'Enable', new Variant('b', enabled))
  }
  return sharedState(objects, { name, paths: [path], read, store })
}
