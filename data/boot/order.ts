import { systemSettings } from '#data/system'
import { bootNumbers, mergedBootOrder, ordinaryAttributes, variablePath } from '#data/variables'
import { globalGuid } from '#hal/uefi/variables.ts'
import { bytes, hex, type Machine, type State, type Writes } from '#runtime/contract'
import { bootOptions, storedBootOrder } from './options.ts'

/** References of the present boot options: in the stored order first, then those that it does not name. */
export function bootOrder(options: readonly { readonly reference: string }[], stored: readonly string[]): string[] {
  const present = options.map((option) => option.reference)
  return [...stored.filter((each) => present.includes(each)), ...present.filter((each) => !stored.includes(each))]
}

/** The boot order as clients see it: the firmware's; all options where the firmware has none. */
export function shownBootOrder(state: State, machine: Machine, system: string): string[] {
  const options = bootOptions(machine, system)
  const stored = storedBootOrder(machine, system)
  if (stored === undefined) return bootOrder(options, systemSettings(state.get('system', system)).bootOrder)
  return stored.filter((each) => options.some(({ reference }) => reference === each))
}

/** The boot order as it came: what firmware leaves out of its own comes into it only where the board names it. */
export function defaultBootOrder(machine: Machine, system: string): string[] {
  const stored = storedBootOrder(machine, system) ?? []
  const options = bootOptions(machine, system)
  return options.flatMap(({ reference, alias }) => (alias !== null || stored.includes(reference) ? reference : []))
}

/**
 * Whether an order of boot options can be the system's: each once, and one at least, as no variable is empty. While the
 * firmware has no order, all of them.
 */
export function isBootOrder(order: readonly string[], machine: Machine, system: string): boolean {
  const least = storedBootOrder(machine, system) === undefined ? bootOptions(machine, system).length : 1
  return order.length >= least && new Set(order).size === order.length
}

/**
 * The writes that make a boot order the system's: what clients see at once, and `BootOrder`, by which firmware boots
 * once the host was held. What nothing stands behind stays at its end: no client can name it.
 *
 * @param order references of boot options
 */
export function setBootOrder(state: State, machine: Machine, system: string, order: readonly string[]) {
  const path = variablePath(system, globalGuid, 'BootOrder')
  const options = bootOptions(machine, system).map(({ reference }) => reference)
  const others = (storedBootOrder(machine, system) ?? []).filter((each) => !options.includes(each))
  const data = hex(bootNumbers([...order, ...others]))
  const present = machine.variable(system, 'BootOrder', globalGuid)?.data
  const earlier = bytes(state.get('variable', path)?.before ?? '')
  const before = present && { before: hex(mergedBootOrder(present, earlier)) }
  return {
    system: { [system]: { bootOrder: order } },
    variable: { [path]: { attributes: ordinaryAttributes, data, ...before } }
  } satisfies Writes
}
