import { attribute } from '#hal/uefi/attributes.ts'
import { readBootNumbers, writeBootNumbers } from '#hal/uefi/boot.ts'

/** The variable that a change is for, and what it is to be; null where it is to go. */
export interface VariableValue {
  readonly name: string
  readonly guid: string
  readonly attributes: number
  readonly data: Uint8Array | null
}

export { globalGuid } from '#hal/uefi/variables.ts'

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
export function bootNumber(reference: string): number {
  return Number.parseInt(reference.slice('Boot'.length), 16)
}

/** The data of `BootOrder` or `BootNext` (UEFI 2.10, 3.3). */
export function bootNumbers(references: readonly string[]): Uint8Array {
  return writeBootNumbers(references.map(bootNumber))
}

/**
 * The data of `BootOrder` for an order that a client asked for. The options of the firmware itself, which no client
 * knows of, come after it.
 *
 * @param present the data of the variable as it is
 */
export function bootOrderData(order: readonly string[], present: Uint8Array | undefined): Uint8Array {
  return mergedBootOrder(bootNumbers(order), present)
}

/** An order, and after it what else is in the present one: data of `BootOrder` each. */
export function mergedBootOrder(first: Uint8Array, present: Uint8Array | undefined): Uint8Array {
  const numbers = (data: Uint8Array) => readBootNumbers(data.subarray(0, data.length & ~1))
  return writeBootNumbers([...new Set([...numbers(first), ...numbers(present ?? new Uint8Array())])])
}
