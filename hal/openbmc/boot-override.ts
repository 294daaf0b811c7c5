import type { BootOverride, BootOverrides } from '../boot-override.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import { type HostOptions, type Objects, wordOf } from './objects.ts'
import { put, sharedState } from './shared-state.ts'

const control = 'xyz.openbmc_project.Control.Boot'
const sourceInterface = `${control}.Source`
const modeInterface = `${control}.Mode`
const typeInterface = `${control}.Type`
const enableInterface = 'xyz.openbmc_project.Object.Enable'

export const bootOverrideInterfaces = [sourceInterface, modeInterface, typeInterface, enableInterface]

/** `BootSource` and `BootMode` of each target. A source other than `Default` goes before the mode. */
const targets: Readonly<Record<string, readonly [source: string, mode: string]>> = {
  None: ['Default', 'Regular'],
  Cd: ['ExternalMedia', 'Regular'],
  Hdd: ['Disk', 'Regular'],
  Usb: ['RemovableMedia', 'Regular'],
  Diags: ['Default', 'Safe'],
  BiosSetup: ['Default', 'Setup'],
  Pxe: ['Network', 'Regular'],
  UefiHttp: ['HTTP', 'Regular']
}

/** `BootType` of each mode. */
const types = { UEFI: 'EFI', Legacy: 'Legacy' } as const

/**
 * The override is in force while `boot` is enabled, for one boot while `boot/one_time` is enabled as well. Source, mode and
 * type are those of `boot`.
 */
export function openbmcBootOverride(objects: Objects, options: HostOptions): BootOverrides {
  const { name, host = 0 } = options
  const boot = `/xyz/openbmc_project/control/host${host}/boot`
  const oneTime = `${boot}/one_time`
  const isEnabled = (path: string) => objects.properties(path, enableInterface)?.get('Enabled')
  const bootWord = (each: string, property: string) => wordOf(objects.properties(boot, each)?.get(property))
  const putWord = (each: string, property: string, word: string) =>
    put(objects, boot, each, property, new Variant('s', `${each}.${property.slice('Boot'.length)}s.${word}`))
  const enable = (path: string, wanted: boolean) =>
    put(objects, path, enableInterface, 'Enabled', new Variant('b', wanted))

  const read = (): BootOverride | undefined => {
    const source = bootWord(sourceInterface, 'BootSource')
    const [isInForce, isOnce] = [isEnabled(boot), isEnabled(oneTime)]
    if (source === undefined || typeof isInForce !== 'boolean' || typeof isOnce !== 'boolean') return undefined
    const mode = bootWord(modeInterface, 'BootMode') ?? 'Regular'
    const isIt = ([ofTarget, modeOfTarget]: readonly [string, string]) =>
      source === ofTarget && (source !== 'Default' || mode === modeOfTarget)
    return {
      enabled: isInForce ? (isOnce ? 'Once' : 'Continuous') : 'Disabled',
      target: Object.entries(targets).find(([, each]) => isIt(each))?.[0] ?? 'None',
      mode: bootWord(typeInterface, 'BootType') === types.Legacy ? 'Legacy' : 'UEFI'
    }
  }
  const store = async ({ enabled, target, mode }: Partial<BootOverride>) => {
    if (target !== undefined) {
      const [source, modeOfTarget] = targets[target] ?? []
      if (source === undefined || modeOfTarget === undefined)
        throw new HalError('EINVAL', `${name}: OpenBMC has no source ${target}`)
      await putWord(sourceInterface, 'BootSource', source)
      await putWord(modeInterface, 'BootMode', modeOfTarget)
    }
    // Not every machine has types.
    if (mode !== undefined && mode !== read()?.mode) await putWord(typeInterface, 'BootType', types[mode])
    if (enabled === 'Once' || enabled === 'Continuous') await enable(oneTime, enabled === 'Once')
    // Last: a host that boots meanwhile finds the override of before or this one.
    if (enabled !== undefined) await enable(boot, enabled !== 'Disabled')
  }
  const shared = sharedState(objects, { name, paths: [boot, oneTime], read, store })
  return Object.assign(shared, { targets: Object.keys(targets), modes: ['UEFI', 'Legacy'] as const })
}
