import type { SharedState } from './shared-state.ts'
import type { SecureBootMode } from './uefi/variables.ts'

/** The value of an attribute; null is that of a password, which is never shown, and a default that is not known. */
export type BiosValue = string | number | boolean | null

/** Values by the names of their attributes. */
export type BiosValues = Readonly<Record<string, BiosValue>>

/** An attribute of a host's firmware, as the firmware describes it. */
export interface BiosAttribute {
  /** Letters, digits and underscores; the first is a letter. */
  readonly name: string
  readonly type: 'Enumeration' | 'String' | 'Integer' | 'Boolean' | 'Password'
  readonly isReadOnly: boolean
  readonly displayName: string
  readonly description: string
  /** The names of the menus in which it is, from the outermost on. May be empty. */
  readonly menu: readonly string[]
  readonly standard: BiosValue
  /** The values of an enumeration. */
  readonly options: readonly { readonly value: string; readonly displayName: string }[]
  /** The bounds of an integer, or of the length of a text; undefined without a bound. */
  readonly least: number | undefined
  readonly most: number | undefined
  /** Steps of an integer from the least one on. */
  readonly step: number | undefined
}

export interface BiosState {
  /** The values that the firmware runs with: the same object until one of them changes. */
  readonly current: BiosValues
  /** Values for the next start. Includes values that are current already only if the defaults are restored. */
  readonly pending: BiosValues
  /** Whether the firmware restores its defaults first at its next start. */
  readonly reset: boolean
  /** Whether passwords can be changed, by `changePassword`. */
  readonly takesPasswords: boolean
}

/** Secure boot of a firmware; null where the firmware has not told. */
export interface SecureBootState {
  /** Of the present boot. */
  readonly current: 'Enabled' | 'Disabled' | null
  /** From the next start on. The only member that is set. */
  readonly enabled: boolean
  readonly mode: SecureBootMode | null
}

/**
 * The settings of a host's firmware, which another program holds. The firmware tells that program its attributes at each
 * start, and takes what is pending from it then. Any program may change what is pending at any time.
 */
export interface BiosSettings {
  /** Undefined until the firmware has told its attributes, and while the program is away. From memory: cheap, never fails. */
  readonly state: BiosState | undefined
  /** Another number when the firmware describes its attributes differently. */
  readonly edition: number
  /** The attributes of `state`, made anew one after the other, as there may be thousands: for what happens seldom. */
  attributes(): Iterable<BiosAttribute>
  /**
   * Has the firmware take these values at its next start, and no others, after its defaults if there is to be a `reset`.
   * Resolves when `state` shows that; if it fails, a part may have been changed.
   *
   * @throws {HalError} `ENODEV` while the state is unknown, `EINVAL` for a value that the program refuses, others by its
   *   back end
   */
  ask(pending: BiosValues, reset: boolean): Promise<void>
  /**
   * Has the firmware take another password at its next start. Empty texts stand for no password.
   *
   * @param present the password in force
   * @throws {HalError} `ENODEV` unless the state says that passwords can be changed, `EINVAL` where `present` is wrong, others
   *   by its back end
   */
  changePassword(whose: 'Administrator' | 'User', present: string, next: string): Promise<void>
  /** Calls back when `state` or `edition` has changed, whoever changed it; the function returned ends that. */
  on(listener: () => void): () => void
  readonly secureBoot: SharedState<SecureBootState>
  close(): Promise<void>
}
