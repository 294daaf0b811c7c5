import type { Caller } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Services {
    readonly credentials: Credentials
    /** When a session was last used, in milliseconds since 1970; an answer that reads it is not cached. */
    accessed(session: string): number
    /** Whether an account is locked after failed logins; an answer that reads it is not cached. */
    isLocked(account: string): boolean
  }
  interface Commands {
    /** Fetches a Kerberos keytab from a URI, and stores it. */
    importKeytab: { readonly uri: string }
  }
}

/** Services that only the runtime has, for the handlers of accounts and sessions. Their work is done off the loop. */
export interface Credentials {
  /**
   * The caller that a user name and password make, after lockout and delay (DSP0266 13.3).
   *
   * @throws MessageError 401 UnauthorizedLoginAttempt or LoginAttemptDelayedSeconds
   */
  verify(user: string, password: string): Promise<Caller>
  /** The stored form of a user's password: a salted, slow hash if this service checks it. */
  hash(password: string): Promise<string>
  /** Whether a password is the one that `hash` was given. Takes as long as `hash`. */
  matches(password: string, hash: string): Promise<boolean>
  /** A salted, slow hash of a password that is no user's, such as that of a BIOS. */
  hashOther(password: string): Promise<string>
  /** Whether such a password is the one that `hashOther` was given. Takes as long. */
  matchesOther(password: string, hash: string): Promise<boolean>
  /** The hash that a session token is stored and looked up by. */
  digest(token: string): string
}
