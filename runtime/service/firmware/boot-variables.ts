import {
  type BootOption,
  bootOptions,
  bootOrder,
  overrideReference,
  storedBootOrder,
  storedOption,
  storedReferences
} from '#data/boot'
import { type System, systemSettings } from '#data/system'
import { bootNumbers, ordinaryAttributes } from '#data/variables'
import type { VariableChange } from '#hal/nvram.ts'
import { bootAttribute, writeBootOption } from '#hal/uefi/boot.ts'
import { devicePathFromText } from '#hal/uefi/device-path-from-text.ts'
import { bootNext, globalGuid } from '#hal/uefi/variables.ts'
import { hex } from '#runtime/base/bytes.ts'
import type { Machine, State } from '#runtime/contract'

const ordinary = { guid: globalGuid, attributes: ordinaryAttributes }

/**
 * The variables that make firmware boot from the override, once and by itself: `BootNext` (UEFI 2.10, 3.3), which names
 * the first boot option in order that matches it. Firmware that has never enumerated its devices has no options of its
 * own yet: then the board's option is written for this boot, and removed after it.
 *
 * @param boots whether the host is about to boot
 */
export function overrideVariables(
  { state, system, boots }: { state: State; system: string; boots: boolean },
  machine: Machine
): VariableChange[] {
  const found = boots ? overriding(state, system, machine) : undefined
  const option = found && withUri(found, systemSettings(state.get('system', system)))
  const own = option === found && option && machine.variable(system, option.reference, globalGuid)
  const written = option && !own ? loadOption(option) : undefined
  const next = written === undefined ? option?.reference : overrideReference
  const changes: VariableChange[] = []
  if (next !== undefined || !overrideWaits(machine, system)) {
    changes.push({ ...ordinary, name: overrideReference, data: written ?? null })
  }
  if (next !== undefined) changes.push({ ...ordinary, name: 'BootNext', data: bootNumbers([next]) })
  return changes
}

/** An option of HTTP boot with what a client wants to boot, which no option of the firmware's has. */
function withUri(option: BootOption, { bootOverrideTarget, httpBootUri }: System): BootOption {
  if (bootOverrideTarget !== 'UefiHttp' || httpBootUri === null) return option
  return { ...option, uefiDevicePath: option.uefiDevicePath.replace(/Uri\([^)]*\)$/, () => `Uri(${httpBootUri})`) }
}

/** True while firmware has not yet booted the option written for it: it deletes `BootNext` when it does. */
function overrideWaits(machine: Machine, system: string): boolean {
  const next = machine.variable(system, bootNext.name, bootNext.guid)?.data
  return next !== undefined && hex(next) === hex(bootNumbers([overrideReference]))
}

/**
 * The variables that let firmware follow `BootOrder` before it has enumerated its devices: the board's option is
 * written where no option of the firmware's matches. The firmware's own option takes its place later.
 */
export function orderVariables(machine: Machine, system: string): VariableChange[] {
  const present = storedBootOrder(machine, system) ?? []
  const known = machine.bootOptions(system)
  const changes: VariableChange[] = []
  const order = present.map((reference) => {
    const option = known.find((each) => each.reference === reference)
    const written = option && loadOption(option)
    const stored = machine.variable(system, reference, globalGuid)?.data
    if (written === undefined || (stored !== undefined && hex(stored) !== hex(written))) return reference
    // Options of the board may have one path, and are not one another's.
    const isBoards = (each: string) =>
      known.some((one) => one.reference === each && one.uefiDevicePath === option?.uefiDevicePath)
    const others = present.filter((each) => !isBoards(each))
    const own = others.find((each) => storedOption(machine, system, each)?.uefiDevicePath === option?.uefiDevicePath)
    changes.push({ ...ordinary, name: reference, data: own === undefined ? written : null })
    return own ?? reference
  })
  if (changes.length > 0) changes.push({ ...ordinary, name: 'BootOrder', data: bootNumbers([...new Set(order)]) })
  return changes
}

/** The boot option that an override of Minnow's own names, where there is such an option. */
function overriding(state: State, system: string, machine: Machine): BootOption | undefined {
  const { bootOverrideEnabled, bootOverrideTarget, bootOverrideUefiTarget } = systemSettings(
    state.get('system', system)
  )
  if (bootOverrideEnabled === 'Disabled' || machine.bootOverrides(system) !== undefined) return undefined
  const matches = bootOptions(machine, system).filter(({ alias, uefiDevicePath }) =>
    bootOverrideTarget === 'UefiTarget' ? uefiDevicePath === bootOverrideUefiTarget : alias === bootOverrideTarget
  )
  // Options outside the firmware's order exist as well; whether those that only the board names exist is unknown.
  const order = [...bootOrder(state, machine, system), ...storedReferences(machine, system)]
  return order.flatMap((each) => matches.find(({ reference }) => reference === each) ?? [])[0] ?? matches[0]
}

function loadOption({ displayName, uefiDevicePath }: BootOption): Uint8Array | undefined {
  const devicePath = devicePathFromText(uefiDevicePath)
  const optionalData = new Uint8Array()
  return (
    devicePath &&
    writeBootOption({ attributes: bootAttribute.active, description: displayName, devicePath, optionalData })
  )
}
