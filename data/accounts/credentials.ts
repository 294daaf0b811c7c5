import type { Caller } from '#runtime/contract'
import type { UsedFactor } from './second-factor.ts'

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

/** The result of a login: the caller, and the one-time or recovery code to be used up. */
export interface Login extends Caller {
  /** The code that the login used; its handler stores that by `useUp`. */
  readonly used?: UsedFactor
}

/** Services that only the runtime has, for the handlers of accounts and sessions. Their work is done off the loop. */
export interface Credentials {
  /** Whether this service keeps the passwords of users, and has them expire; otherwise that is the machine's affair. */
  readonly keepsPasswords: boolean
  /** Whether logins can ask directories: a binary may be built without them. */
  readonly asksDirectories: boolean
  /**
   * The caller that a user name and password make, after lockout and delay (DSP0266 13.3), with a code where the account
   * has a second factor.
   *
   * @throws MessageError 401 UnauthorizedLoginAttempt or LoginAttemptDelayedSeconds; once the password was right, also
   *   AuthenticationTokenRequired or OneTimeCodeIncorrect
   */
  verify(user: string, password: string, code?: string): Promise<Login>
  /**
   * Checks a code of the caller's account outside of a login. A wrong one counts as a failed login does.
   *
   * @param of the key in use, or the one that waits for its first code
   * @throws MessageError 400 for a wrong code, 401 LoginAttemptDelayedSeconds
   */
  verifyCode(code: string, of: 'key' | 'pending'): Promise<UsedFactor>
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
