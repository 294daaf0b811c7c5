import { systemSettings } from '#data/system'
import { bootNumbers, ordinaryAttributes, variablePath } from '#data/variables'
import { globalGuid } from '#hal/uefi/variables.ts'
import { hex } from '#runtime/base/bytes.ts'
import type { Machine, State, Writes } from '#runtime/contract'
import { type BootOption, bootOptions, storedBootOrder } from './options.ts'

/**
 * The boot order as clients see it. Its owner is the variable `BootOrder`, as it will be when the host starts: firmware and
 * operating system change it as well. While a change waits for the host to be held, it is in the table `variable`; then it
 * is in the flash alone. Options that do not exist are left out.
 *
 * While there is no such variable, before the first boot and after the variables were cleared, the order is all boot
 * options: first those of `system.bootOrder`, the order that a client asked for, which outlives the variables.
 *
 * @param known the boot options, where the caller has them already
 */
export function bootOrder(
  state: State,
  machine: Machine,
  system: string,
  known: readonly BootOption[] = bootOptions(machine, system)
): string[] {
  const options = known.map(({ reference }) => reference)
  const stored = storedBootOrder(machine, system)
  const first = stored ?? systemSettings(state.get('system', system)).bootOrder
  const order = new Set(first.filter((each) => options.includes(each)))
  return [...order, ...(stored ? [] : options.filter((each) => !order.has(each)))]
}

/** The boot order as it came: the board's options, and what else is in the present one. */
export function defaultBootOrder(state: State, machine: Machine, system: string): string[] {
  const options = bootOptions(machine, system)
  const present = bootOrder(state, machine, system, options)
  return options.flatMap(({ reference, alias }) => (alias !== null || present.includes(reference) ? reference : []))
}

/** True where an order may follow the present one: it names all that is in that, and nothing twice. */
export function mayFollow(order: readonly string[], present: readonly string[]): boolean {
  const named = new Set(order)
  return named.size === order.length && present.every((each) => named.has(each))
}

/**
 * The writes that make a boot order the system's: what clients see at once, and `BootOrder`, by which firmware boots
 * once the host was held. Entries without a boot option stay at its end: no client can name them.
 *
 * @param order references of boot options, all that are in the present order among them
 */
export function setBootOrder(state: State, machine: Machine, system: string, order: readonly string[]) {
  const path = variablePath(system, globalGuid, 'BootOrder')
  const present = storedBootOrder(machine, system) ?? []
  const data = hex(bootNumbers([...order, ...present.filter((each) => !order.includes(each))]))
  const earlier = state.get('variable', path)?.added ?? ''
  const added = earlier + hex(bootNumbers(order.filter((each) => !present.includes(each))))
  return {
    system: { [system]: { bootOrder: order } },
    variable: { [path]: { attributes: ordinaryAttributes, data, added } }
  } satisfies Writes
}
