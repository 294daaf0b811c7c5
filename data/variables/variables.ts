import { attribute } from '#hal/uefi/attributes.ts'
import { readBootNumbers, writeBootNumbers } from '#hal/uefi/boot.ts'
import { bootOrder, bootVariable, type VariableName } from '#hal/uefi/variables.ts'
import { bytes } from '#runtime/base/bytes.ts'
import type { Exists, Machine } from '#runtime/contract'
import type { WantedVariable } from './records.ts'

/** The variable that a change is for, and what it is to be; null if it is to go. */
export interface VariableValue extends VariableName {
  readonly attributes: number
  readonly data: Uint8Array | null
}

/** Whether the controller reaches the variables of a system's firmware. @throws MessageError 404 for an unknown system */
export function hasVariables(machine: Pick<Machine, 'system'>, system: string): boolean {
  return machine.system(system).nvram !== undefined
}

/** `exists` of what is in the variables of a system. */
export const ofVariables: Exists<'ComputerSystemId'> = ({ params, machine }) =>
  hasVariables(machine, params.ComputerSystemId)

/** The namespace of the variables in which this service and a firmware that knows it exchange BIOS settings. */
export const vendorVariables = '5f9c2b0e-61d7-4a38-8e4f-0b7a1c93d26e'

/** Non-volatile, for the boot services and for the operating system (UEFI 2.10, 8.2.1). */
export const ordinaryAttributes = attribute.nonVolatile | attribute.bootService | attribute.runtime

/** As `ordinaryAttributes`, but hidden from the operating system. */
export const bootServiceAttributes = attribute.nonVolatile | attribute.bootService

/** The key in the table `variable`. */
export function variablePath(system: string, guid: string, name: string): string {
  return `${system}/${guid}/${name}`
}

/** The number of a boot option, `Boot####` (UEFI 2.10, 3.1.3). */
function bootNumber(reference: string): number {
  return Number.parseInt(reference.slice('Boot'.length), 16)
}

/** The data of `BootOrder` or `BootNext` (UEFI 2.10, 3.3). */
export function bootNumbers(references: readonly string[]): Uint8Array {
  return writeBootNumbers(references.map(bootNumber))
}

/**
 * The value of a variable after a pending change; null if the change removes it. For `BootOrder` it is the order that a
 * client asked for, together with the options that the host has added since. Options that the host has removed, and
 * options that no longer exist, are left out.
 *
 * @param present what the host has; undefined if the variable is not there
 */
export function waitingData(
  machine: Machine,
  system: string,
  { name, guid }: VariableName,
  { data, added = '' }: WantedVariable,
  present: Uint8Array | undefined
): Uint8Array | null {
  if (data === null) return null
  if (present === undefined || name !== bootOrder.name || guid !== bootOrder.guid) return bytes(data)
  const own = readBootNumbers(present.subarray(0, present.length & ~1))
  const put = readBootNumbers(bytes(added)).filter((number) => isOption(machine, system, bootVariable(number)))
  const order = readBootNumbers(bytes(data)).filter((number) => own.includes(number) || put.includes(number))
  return writeBootNumbers([...new Set([...order, ...own])])
}

function isOption(machine: Machine, system: string, { name, guid }: VariableName): boolean {
  const isBoards = machine.bootOptions(system).some(({ reference }) => reference === name)
  return isBoards || machine.variable(system, name, guid) !== undefined
}
