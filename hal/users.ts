import type { SharedState } from './shared-state.ts'

/** The rules for the passwords of all users of this machine. */
export interface UserPolicy {
  /** The characters of a password, at least. */
  readonly shortestPassword: number
  /** The wrong passwords after which a user is locked; 0: never. */
  readonly lockoutThreshold: number
  /** Seconds until a locked user may try again; 0: until the lock is lifted. */
  readonly lockoutDuration: number
}

/** A user of this machine. */
export interface User {
  /** `None`: no privilege at all. */
  readonly role: 'Administrator' | 'Operator' | 'ReadOnly' | 'None'
  /** Whether the user may log in to this service. */
  readonly enabled: boolean
  /** After too many wrong passwords. */
  readonly locked: boolean
  /** The password has to be changed before anything else. */
  readonly expired: boolean
}

/** A change of a user: absent members stay as they are. A lock can only be lifted. */
export interface UserChange {
  readonly name?: string | undefined
  readonly role?: User['role'] | undefined
  readonly enabled?: boolean | undefined
  readonly locked?: false | undefined
  readonly password?: string | undefined
}

/** The users of this machine, whom another program holds: other programs make, change and remove them too. */
export interface Users {
  /** By their names, as far as is known: while the program is away, as they were last. Undefined until they are known. */
  readonly users: ReadonlyMap<string, User> | undefined
  /** Likewise known as it was last. */
  readonly policy: SharedState<UserPolicy>
  /**
   * Resolves when `users` has the new one.
   *
   * @throws {HalError} `ENODEV` while the program is away, `EINVAL` for a name or a password that it refuses, others by its
   *   back end. If the password is refused, there is no such user.
   */
  create(name: string, user: Pick<User, 'role' | 'enabled'>, password: string): Promise<void>
  /** Resolves when `users` shows the change; the name comes last. @throws {HalError} likewise */
  change(name: string, change: UserChange): Promise<void>
  /** Resolves when `users` has the user no more. @throws {HalError} likewise */
  remove(name: string): Promise<void>
  /**
   * Whether a password is right: `expired` if it is and has to be changed. An unknown user has none.
   *
   * @param address of the client; may be empty
   * @throws {HalError} `ENODEV`, `EIO` or `ETIMEDOUT` when passwords cannot be checked
   */
  verify(name: string, password: string, address: string): Promise<'ok' | 'denied' | 'expired'>
  /** Calls back with the names of users that are new, have changed or are gone; the function returned ends that. */
  on(listener: (names: ReadonlySet<string>) => void): () => void
  close(): Promise<void>
}
