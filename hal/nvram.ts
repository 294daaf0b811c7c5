import { HalError } from './errors.ts'
import { attribute } from './uefi/attributes.ts'
import { isGuid } from './uefi/guid.ts'
import type { VariableName } from './uefi/variables.ts'

export interface Variable extends VariableName {
  /** Bits of {@link attribute}; a variable in here is non-volatile. */
  readonly attributes: number
  /** At least one byte: what is empty does not exist. */
  readonly data: Uint8Array
  /**
   * Only with {@link attribute.timeBased}: firmware replaces it only by what is signed for later. When set: the present
   * time by default. Never goes back, and never lies ahead of a clock that is set.
   */
  readonly timestamp?: Date | undefined
}

/** A new value for a variable, or its end: `data` is null or empty. */
export type VariableChange = Variable | (VariableName & { readonly data: null })

export interface NvramHealth {
  /** `damaged`: something is there that is no sound store, and is not touched. `absent`: nothing of the kind is there. */
  readonly state: 'ok' | 'damaged' | 'absent'
  /** A sentence for everything that is wrong. In state `ok`: what `acquire` will put right, mostly after power cuts. */
  readonly faults: readonly string[]
}

/** In bytes. A variable takes up its data, two bytes for each character of its name, and some 60 more. */
export interface NvramSpace {
  readonly total: number
  readonly free: number
  /** The most that one variable may take up. */
  readonly largest: number
}

/**
 * The non-volatile variables of a host's firmware.
 *
 * They lie in memory that the host owns while it runs, so they are read from a copy in memory and written only while
 * the host is held: from `acquire` to `release`.
 */
export interface Nvram {
  readonly health: NvramHealth
  readonly space: NvramSpace

  /** From memory, as of `open`, the last `acquire` or `look`, with all that was set since. */
  list(): readonly VariableName[]

  /** The same; a copy of its own. */
  get(name: string, guid: string): Variable | undefined

  /**
   * The host is off or held in reset, and stays so until `release`: reads anew what it has changed, and ends what a
   * power cut has left half done. Call it before the host is powered on for the first time, too: firmware may not
   * survive what this puts right.
   *
   * @throws {HalError} `EROFS` when the store is damaged or absent, `EIO` when reading or writing failed
   */
  acquire(): Promise<void>

  /**
   * Reads again after a running host's changes, if the store is readable meanwhile: of a virtual machine.
   *
   * @returns false when nothing was read: nothing has changed, or a change is only begun
   * @throws {HalError} `EIO` when reading failed
   */
  look?(): boolean

  /**
   * Makes the changes in their order. A variable with the same value already is not written. If the power is cut or it
   * fails with `EIO`, the first changes have been made and the others not, and no variable is half changed.
   *
   * @throws {HalError} before anything is changed: `EROFS` while not acquired, or damaged or absent; `ENOSPC` when the
   *   store would be too full; `EINVAL` for a name, GUID, attributes or size that no variable can have
   */
  set(changes: readonly VariableChange[]): Promise<void>

  /**
   * Recreates the store, empty, also if it is damaged. A power cut meanwhile may leave a damaged one, until
   * this is done again.
   *
   * @throws {HalError} before anything is changed: `EROFS` while the host is not held, for which an `acquire` that failed with
   *   `EROFS` is enough, or if the place of the store is unknown. `EIO` when writing failed
   */
  reset(): Promise<void>

  /**
   * Resolves when all changes are made and would survive a power cut: now the host may run. Idempotent.
   *
   * @throws {HalError} `EIO` when that cannot be said; then it is not released
   */
  release(): Promise<void>

  /** After what is under way. Then all but reading is `ENODEV`. */
  close(): Promise<void>
}

/** Stands for an inaccessible store: it has no variables, and refuses to set one. @param health why */
export function unusableNvram(health: NvramHealth): Nvram {
  const refuse = async () => {
    throw new HalError('EROFS', `variable store: ${health.state}: ${health.faults.join('; ')}`)
  }
  return {
    health,
    space: { total: 0, free: 0, largest: 0 },
    list: () => [],
    get: () => undefined,
    acquire: refuse,
    set: refuse,
    reset: refuse,
    release: async () => undefined,
    close: async () => undefined
  }
}

/** The key of a variable in a map. */
export function variableKey(name: string, guid: string): string {
  return `${guid}/${name}`
}

/** @throws {HalError} `EINVAL` for what no store may hold (UEFI 2.10, 8.2, SetVariable) */
export function checkChange(change: VariableChange): void {
  const { name, guid, data } = change
  const refuse = (reason: string) =>
    new HalError('EINVAL', `nvram: variable ${JSON.stringify(name)} ${guid}: ${reason}`)
  if (name === '' || name.includes('\0')) throw refuse('a name must not be empty or contain NUL')
  if (!isGuid(guid)) throw refuse('not a GUID in lower case')
  if (data === null || data.length === 0) return
  const fault = attributesFault(change.attributes)
  if (fault) throw refuse(fault)
}

/** The fault of the attributes of a stored variable (UEFI 2.10, 8.2), if any. */
export function attributesFault(attributes: number): string | undefined {
  const known = Object.values(attribute).reduce<number>((bits, bit) => bits | bit, 0)
  const must = attribute.nonVolatile | attribute.bootService
  const shown = `attributes 0x${attributes.toString(16)}`
  if (!Number.isInteger(attributes) || (attributes & ~known) !== 0 || attributes < 0) return `${shown} do not exist`
  if ((attributes & must) !== must) return `${shown} are not those of a non-volatile variable of the boot services`
  return undefined
}

/**
 * The time that a time-based variable gets: what is wanted, or now, but not ahead of a clock that is set and not before
 * `old`. Firmware takes a signed change only when it is newer, so a time that is too late would lock vendors out.
 */
export function nextTimestamp(wanted: Date | undefined, old: Date | undefined, now: Date | undefined): Date {
  const time = wanted ?? now ?? firstTime
  const past = now && time > now ? now : time
  return old && old > past ? old : past
}

/** The timestamp of a variable while no clock is set; customary for an initial dbx. */
const firstTime = new Date('2010-01-01T00:00:00Z')
