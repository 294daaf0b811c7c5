import { type Profile, writeMessage } from '#data/registries'
import type { Machine } from '#runtime/contract'
import type { BiosCurrent, BiosPending } from './records.ts'
import type { AttributeRegistry, Value, Values } from './registry.ts'
import { defaults, resetValues, type TransferMessage, transfer } from './transfer.ts'

/** The sets of values that a BIOS can be set to as a whole: the maker's and the user's defaults. */
export const baseConfigs = ['default', 'default.user'] as const

const nothing: BiosPending = { attributes: {}, reset: false, passwords: {} }

/**
 * The pending values once a client asked for these values too. A value that is current already is not pending.
 *
 * @param most characters of what may wait, as JSON
 * @returns undefined when it would be more
 */
export function addPending(
  current: Values,
  before: BiosPending | undefined,
  values: Values,
  most: number
): BiosPending | undefined {
  const { attributes, reset, passwords } = before ?? nothing
  const merged = { ...attributes, ...values }
  const waiting = reset ? merged : differing(current, merged)
  return JSON.stringify(waiting).length > most ? undefined : { attributes: waiting, reset, passwords }
}

/** The same once a client asked for these values and no others: not even for the defaults, if it had. */
export function replacePending(
  current: Values,
  before: BiosPending | undefined,
  values: Values,
  most: number
): BiosPending | undefined {
  return addPending(current, { ...nothing, passwords: before?.passwords ?? {} }, values, most)
}

/** The same once a client asked for the defaults, which is the last word on every attribute. */
export function resetPending(before: BiosPending | undefined): BiosPending {
  return { ...nothing, reset: true, passwords: before?.passwords ?? {} }
}

/** The same once a client asked for a password to be set. @param hash of the new one; empty if it is to go */
export function passwordPending(before: BiosPending | undefined, name: string, hash: string): BiosPending {
  const present = before ?? nothing
  return { ...present, passwords: { ...present.passwords, [name]: hash } }
}

/** All values as the next reset will leave them, as far as is known before it: what the pending area shows. */
export function pendingValues(
  current: Values,
  pending: BiosPending | undefined,
  registry: () => AttributeRegistry
): Values {
  const base = pending?.reset ? resetValues(registry(), current) : current
  return { ...base, ...pending?.attributes }
}

function differing(current: Values, values: Values): Values {
  const same = (name: string, value: Value) => Object.hasOwn(current, name) && current[name] === value
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(name, value)))
}

/** The current area before the first transfer: the defaults. @param time when it is made, ISO 8601 */
export function firstCurrent(machine: Machine, system: string, time: string): BiosCurrent {
  const attributes = defaults(machine.attributeRegistry(system), machine.board.individual)
  return { attributes, passwords: {}, transferredAt: time, messages: [] }
}

/**
 * The two areas after a reset of the host.
 *
 * @param time when, ISO 8601
 */
export function afterReset(
  registry: AttributeRegistry,
  { attributes, passwords }: BiosCurrent,
  pending: BiosPending,
  time: string
): BiosCurrent {
  const before = pending.reset ? resetValues(registry, attributes) : attributes
  const { current, messages } = transfer(registry, before, pending.attributes)
  const set = Object.entries({ ...passwords, ...pending.passwords }).filter(([, hash]) => hash !== '')
  return { attributes: current, passwords: Object.fromEntries(set), transferredAt: time, messages }
}

/** A message of a transfer as clients and firmware read it; its version is that of the specification. */
export function writeTransferMessage(message: TransferMessage, profile: Profile = 'compact') {
  return writeMessage(message, profile, message.key.replace('.', '.1.0.'))
}
