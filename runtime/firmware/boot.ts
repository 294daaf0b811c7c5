import { bootNumbers, bootOrder, globalGuid, ordinaryAttributes, systemSettings } from '#data'
import type { VariableChange } from '../../hal/nvram.ts'
import type { Machine, State, Writes } from '../handler.ts'
import { bootOptions, storedBootOrder } from './boot-options.ts'

/**
 * What the start of a host's boot does to what is stored: a boot override that was good for one boot is used up.
 *
 * @returns undefined where nothing changes
 */
export function booted({ state, system }: { state: State; system: string }): Writes | undefined {
  if (systemSettings(state.get('system', system)).bootOverrideEnabled !== 'Once') return undefined
  return { system: { [system]: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } } }
}

/**
 * The variable that has firmware boot from what the override names, at one boot and by itself (UEFI 2.10, 3.3): the
 * first boot option in order that answers to it.
 *
 * @returns undefined without an override, and where the host has no such boot option
 */
export function bootNext(
  { state, system }: { state: State; system: string },
  machine: Machine
): VariableChange | undefined {
  const present = bootOptions(machine, system)
  const settings = systemSettings(state.get('system', system))
  const { bootOverrideEnabled, bootOverrideTarget, bootOverrideUefiTarget } = settings
  if (bootOverrideEnabled === 'Disabled') return undefined
  const order = bootOrder(present, storedBootOrder(machine, system) ?? settings.bootOrder)
  const options = present.sort((a, b) => order.indexOf(a.reference) - order.indexOf(b.reference))
  const option = options.find(({ alias, uefiDevicePath }) =>
    bootOverrideTarget === 'UefiTarget' ? uefiDevicePath === bootOverrideUefiTarget : alias === bootOverrideTarget
  )
  if (option === undefined) return undefined
  return {
    name: 'BootNext',
    guid: globalGuid,
    attributes: ordinaryAttributes,
    data: bootNumbers([option.reference])
  }
}
