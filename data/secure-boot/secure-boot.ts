import type { Board } from '#data/board'
import { hasVariables, type VariableValue } from '#data/variables'
import { secureBootEnable, secureBootVariables } from '#hal/uefi/variables.ts'
import { fromBase64 } from '#runtime/base/bytes.ts'
import type { Machine, State } from '#runtime/contract'
import type { SecureBoot } from './records.ts'

/** A database of keys that firmware checks signatures with (UEFI 2.10, 32.3 and 32.6). */
export interface SecureBootDatabase {
  /** Also the name of its variable. */
  readonly id: string
  readonly guid: string
  readonly attributes: number
  readonly name: string
  /** The platform key: one certificate at most. */
  readonly single: boolean
  /** Whether it may hold hashes and the like besides certificates. */
  readonly signatures: boolean
  /** The factory's copy of another database: read-only, and not used to check anything. */
  readonly factory: boolean
}

/** As much of the machine as secure boot is about. */
export interface UefiVariables {
  readonly board: Board
  variable(system: string, name: string, guid: string): { readonly data: Uint8Array } | undefined
}

/** The owner of entries that clients enrol without naming an owner (EFI_SIGNATURE_DATA, SignatureOwner). */
export const signatureOwner = '6f1c2d5e-0a4b-4c7d-9a36-2f8be15c7043'

const names = {
  PK: 'Platform key',
  KEK: 'Key exchange keys',
  db: 'Authorized signatures',
  dbx: 'Forbidden signatures',
  dbt: 'Authorized timestamp signatures',
  dbr: 'Authorized recovery signatures'
} as const

const ids = Object.keys(names) as (keyof typeof names)[]

/** All twelve: those that firmware uses, then the factory's copies of them. */
export const secureBootDatabases: readonly SecureBootDatabase[] = [false, true].flatMap((factory) =>
  ids.map((id) => {
    const { name, guid, attributes } = secureBootVariables[factory ? (`${id}Default` as const) : id]
    return {
      id: name,
      guid,
      attributes,
      name: factory ? `${names[id]}, as the factory set them` : names[id],
      single: id === 'PK',
      signatures: id !== 'PK' && id !== 'KEK',
      factory
    }
  })
)

/** The variables that secure boot is made of: its databases, and whether it is wanted. */
export const keyVariables: readonly { readonly name: string; readonly guid: string }[] = [
  ...Object.values(secureBootVariables),
  secureBootEnable
]

/** `ResetKeysType` of `SecureBootDatabase.ResetKeys`. */
export const resetDatabaseTypes = ['ResetAllKeysToDefault', 'DeleteAllKeys'] as const
/** `ResetKeysType` of `SecureBoot.ResetKeys`. */
export const resetKeysTypes = [...resetDatabaseTypes, 'DeletePK'] as const

export function secureBootDatabase(id: string): SecureBootDatabase | undefined {
  return secureBootDatabases.find((each) => each.id === id)
}

/** EFI signature lists, one after the other: what the host has at its next start, or what its factory gave it. */
export function databaseContent(firmware: UefiVariables, system: string, { id, guid, factory }: SecureBootDatabase) {
  const stored = firmware.variable(system, id, guid)?.data
  if (stored !== undefined || !factory) return stored ?? new Uint8Array()
  return fromBase64(firmware.board.systems[system]?.factoryKeys?.[id] ?? '')
}

/** Contents of databases as EFI signature lists, by their ids. */
export type DatabaseContents = { readonly [id: string]: Uint8Array }

/** The contents that reset databases to what the factory gave them, or empty them. */
export function resetContents(
  firmware: UefiVariables,
  system: string,
  type: (typeof resetKeysTypes)[number],
  databases = secureBootDatabases.filter(({ factory }) => !factory)
): DatabaseContents {
  const chosen = type === 'DeletePK' ? databases.filter(({ single }) => single) : databases
  const content = (id: string) =>
    type === 'ResetAllKeysToDefault'
      ? databaseContent(firmware, system, secureBootDatabase(`${id}Default`)!)
      : new Uint8Array()
  return Object.fromEntries(chosen.map(({ id }) => [id, content(id)]))
}

/**
 * The variables that make databases hold new contents. When a platform key comes or goes, secure boot is off until a
 * client enables it.
 */
export function databaseVariables(
  firmware: UefiVariables,
  system: string,
  contents: DatabaseContents
): VariableValue[] {
  const changes = Object.entries(contents).map(([id, content]) => {
    const { guid, attributes } = secureBootDatabase(id)!
    return { name: id, guid, attributes, data: content.length > 0 ? content : null }
  })
  const platformKey = contents.PK
  if (platformKey === undefined || (hasPlatformKey(firmware, system) && platformKey.length > 0)) return changes
  return enableWanted(firmware, system) ? [...changes, enableSecureBoot(false)] : changes
}

export function enableSecureBoot(enabled: boolean): VariableValue {
  return { ...secureBootEnable, data: Uint8Array.of(enabled ? 1 : 0) }
}

export function hasPlatformKey(firmware: UefiVariables, system: string): boolean {
  return databaseContent(firmware, system, secureBootDatabase('PK')!).length > 0
}

/** Whether the host will check signatures from its next start on. */
export function secureBootEnabled(firmware: UefiVariables, system: string): boolean {
  return hasPlatformKey(firmware, system) && enableWanted(firmware, system)
}

/** Secure boot of a system, from its variables or as its firmware tells it; undefined where neither is known. */
export function secureBootOf(state: Pick<State, 'get'>, machine: Machine, system: string) {
  const { current, enabled, mode = null } = state.get('secureBoot', system) ?? {}
  if (hasVariables(machine, system))
    return {
      current: current ?? 'Disabled',
      enabled: secureBootEnabled(machine, system),
      mode: hasPlatformKey(machine, system) ? 'UserMode' : 'SetupMode'
    } as const
  return enabled == null ? undefined : { current: current ?? null, enabled, mode }
}

/** Firmware takes a variable that is not there for yes. */
function enableWanted(firmware: UefiVariables, system: string): boolean {
  return firmware.variable(system, secureBootEnable.name, secureBootEnable.guid)?.data[0] !== 0
}

/** The record of a host that has just started to boot, from the variables in its store. */
export function secureBootAfterBoot(firmware: UefiVariables, system: string): SecureBoot {
  return { current: secureBootEnabled(firmware, system) ? 'Enabled' : 'Disabled' }
}

/**
 * Changes in the order in which a store is to make them: power may fail between any two, and a platform key without the
 * other keys would leave a host that starts nothing. So it goes first, and comes last.
 */
export function inWriteOrder<T extends { readonly name: string; readonly data: unknown }>(changes: readonly T[]): T[] {
  const place = ({ name, data }: T) => (name !== 'PK' ? 0 : data === null ? -1 : 1)
  return [...changes].sort((left, right) => place(left) - place(right))
}

/**
 * The time for a variable, if it matters: vendors' signed changes to dbx have to be newer, and may be years old when
 * they come.
 */
export function variableTimestamp(name: string): Date | undefined {
  return name === 'dbx' ? new Date('2010-01-01T00:00:00Z') : undefined
}
