import { bootOrderData, globalGuid, ordinaryAttributes, variablePath } from '#data'
import type { Machine, Writes } from '../handler.ts'
import { hex } from '../hex.ts'

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
