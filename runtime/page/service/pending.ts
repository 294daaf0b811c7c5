import type { AttributeRegistry } from '#data/bios'
import { addressOf } from '../router.ts'
import { absent, fresh, type Known, optional, partOf, together, valueIn } from '../rules/known.ts'
import { changedNames } from '../rules/pending.ts'
import type { Bios, Expanded, Manager, Software, System } from '../types.ts'
import { labelOf, t } from '../words/index.ts'
import { attributeRegistryOf } from './bios.ts'
import { useManager, useSystem } from './machine.ts'
import { useResource } from './resources.ts'

/** A change that waits for the next restart of the system. */
export interface PendingChange {
  readonly name: string
  /** The value now, where there is one to compare with. */
  readonly from?: string
  readonly to: string
  /** The screen that shows more of it. */
  readonly address: string
}

/** The changes that the next restart of the system makes; not known until all their sources are known. */
export function usePending(): Known<readonly PendingChange[]> {
  const system = useSystem()
  const bios = useResource<Bios>(partOf(system, ({ Bios }) => Bios?.['@odata.id']))
  const settings = useResource<Bios>(partOf(bios, (value) => value['@Redfish.Settings']?.SettingsObject?.['@odata.id']))
  const known = fresh(
    together(system, optional(bios), optional(settings), optional(useManager()), optional(useFirmware()))
  )
  const isChanged = changedNames(valueIn(bios)?.Attributes ?? {}, valueIn(settings)?.Attributes ?? {}).length > 0
  const registry = valueIn(attributeRegistryOf(isChanged ? bios : absent))
  return partOf(known, ([machine, current, next, manager, firmware]) => [
    ...biosChanges(current, next, registry),
    ...bootChanges(machine),
    ...(firmware?.Members ?? [])
      .filter(({ Staged }) => Staged)
      .map(({ Name, Version }) => ({ name: Name, to: Version ?? '', address: addressOf('updates') })),
    ...(manager?.Oem?.Vendor?.PendingAtReset ?? []).map((to) => ({
      name: (manager as Manager).Name,
      to: labelOf(to),
      address: addressOf('updates')
    }))
  ])
}

/** All firmware with its versions. */
export const useFirmware = () =>
  useResource<Expanded<Software>>('/redfish/v1/UpdateService/FirmwareInventory/?$expand=.')

/** The attributes that change, by their names where the registry is there. */
function biosChanges(
  bios: Bios | undefined,
  settings: Bios | undefined,
  registry: AttributeRegistry | undefined
): PendingChange[] {
  const [now, next] = [bios?.Attributes ?? {}, settings?.Attributes ?? {}]
  return changedNames(now, next).map((name) => {
    const attribute = registry?.RegistryEntries.Attributes.find((each) => each.AttributeName === name)
    const shown = (value: unknown) => {
      if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
      return attribute?.Value?.find((each) => each.ValueName === value)?.ValueDisplayName ?? String(value ?? '')
    }
    return {
      name: attribute?.DisplayName ?? name,
      from: shown(now[name]),
      to: shown(next[name]),
      address: addressOf('bios/changed')
    }
  })
}

function bootChanges({ Boot: boot, Oem }: System): PendingChange[] {
  const { BootSourceOverrideEnabled: enabled, BootSourceOverrideTarget: target } = boot ?? {}
  const vendor = Oem?.Vendor
  const address = addressOf('boot')
  return [
    ...(enabled && enabled !== 'Disabled' && target
      ? [{ name: t('startsFrom'), to: `${labelOf(target)} · ${labelOf(enabled)}`, address }]
      : []),
    ...(vendor?.PendingBootMode && vendor.PendingBootMode !== vendor.BootMode
      ? [{ name: t('bootMode'), from: labelOf(vendor.BootMode), to: labelOf(vendor.PendingBootMode), address }]
      : []),
    ...(vendor?.PendingNvramClear ? [{ name: 'NVRAM', to: t('isCleared'), address }] : []),
    ...(vendor?.PendingRecovery ? [{ name: t('recovery'), to: t('starts'), address: addressOf('updates') }] : [])
  ]
}
