import { bootOrderData, ordinaryAttributes, variablePath } from '#data/variables'
import { globalGuid } from '#hal/uefi/variables.ts'
import { hex, type Machine, type Writes } from '#runtime/contract'

/** References of the present boot options: in the stored order first, then those that it does not name. */
export function bootOrder(options: readonly { readonly reference: string }[], stored: readonly string[]): string[] {
  const present = options.map((option) => option.reference)
  return [...stored.filter((each) => present.includes(each)), ...present.filter((each) => !stored.includes(each))]
}

/**
 * The writes that make a boot order the system's: what clients see at once, and `BootOrder`, by which firmware boots
 * once the host was held.
 *
 * @param order references of all boot options
 */
export function setBootOrder(machine: Machine, system: string, order: readonly string[]) {
  const present = machine.variable(system, 'BootOrder', globalGuid)?.data
  const data = hex(bootOrderData(order, present))
  return {
    system: { [system]: { bootOrder: order } },
    variable: { [variablePath(system, globalGuid, 'BootOrder')]: { attributes: ordinaryAttributes, data } }
  } satisfies Writes
}
