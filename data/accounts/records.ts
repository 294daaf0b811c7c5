import type { Configuration } from '#data/configuration'
import { type Privilege, type StandardPrivilege, table } from '#runtime/contract'
import type { localAccountModes } from './directory.ts'
import type { AccountType } from './types.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By id: the user name when it was made, or that and a number. */
    account: Account
    /** The custom roles, by id. */
    role: Role
    /** By session id. */
    session: Session
    /** One record, `settings`. */
    sessionService: SessionPolicy
    /** One record, `settings`. */
    accountService: AccountPolicy
    /** One record, `keytab`, after an import. */
    kerberos: KerberosKeytab
  }
}

table('account', { survives: ['restart', 'restStateReset'], of: 'users' })
table('role', { survives: ['restart', 'restStateReset'], of: 'users' })
table('session', { survives: ['restart'], waiting: 'all but removals' })
table('sessionService', { survives: ['restart', 'restStateReset'] })
table('accountService', { survives: ['restart', 'restStateReset'] })
table('kerberos', { survives: ['restart', 'restStateReset'] })

/** A role: its standard privileges, and those of the vendor that these do not include (see `included` of roles.ts). */
export interface Role {
  readonly standard: readonly StandardPrivilege[]
  readonly vendor: readonly Privilege[]
}

export interface Account {
  name: string
  /** The id of a role. */
  role: string
  /** A salted, slow hash, never the password. */
  password: string
  enabled: boolean
  /** Privileges beyond those of the role. */
  granted?: readonly Privilege[]
  /** Privileges of the role that the account does not have. */
  withheld?: readonly Privilege[]
  /** The services that it is admitted to; absent: all. */
  types?: readonly AccountType[]
  /** Whether clients get exactly the types that they name. */
  strictTypes?: boolean
  /** When the password expires, in milliseconds since 1970; 0 or absent: never. */
  passwordExpiresAt?: number
  /** Hashes of passwords before the present one, the newest first. */
  formerPasswords?: readonly string[]
  passwordChangeRequired: boolean
  /** Until when the account is locked after failed logins, in milliseconds since 1970; 0 when it is not. */
  lockedUntil: number
  /** A display name; by default the user name. */
  loginName?: string
  /** Counts accounts: one that was made later has a higher number. */
  number?: number
  /** Random: another one with each password, each disabling, and each account of the same name. */
  generation?: string
}

/** A second factor of a login. */
export type FactorKind = 'TimeBasedOneTimePassword' | 'RecoveryCode'

export interface Session {
  /** The id of the account. */
  user: string
  /** Of the user of a directory: the name, and the role that a mapping gave at the login. */
  directory?: { user: string; role: string } | undefined
  /** Of the account, or of the settings of the directory, at the login: a session ends with it. */
  generation?: string | undefined
  /** The SHA-256 of the certificate that it was opened with: it ends with what that rests on. */
  certificate?: string | undefined
  /** The second factor of the login, if it had one. */
  secondFactor?: FactorKind | undefined
  /** The SHA-256 of the token, hex, never the token. */
  token: string
  /** Milliseconds since 1970. */
  createdAt: number
  accessedAt: number
  address: string
}

interface KerberosKeytab {
  /** Sealed; base64 within. */
  keytab: string
  /** ISO 8601. */
  importedAt: string
}

export interface SessionPolicy {
  /** Seconds that a session may be idle. */
  timeout: number
  /** Whether sessions can be created and ended. */
  enabled: boolean
}

export interface AccountPolicy {
  minPasswordLength: number
  complexity: boolean
  /** Whether passwords are refused that contain the user's name, or that many people have. */
  refuseGuessable: boolean
  /** How many passwords of an account, with the present one, a new one must differ from. */
  passwordHistory: number
  /** Days after which a password expires; 0: never. */
  passwordExpirationDays: number
  lockoutThreshold: number
  lockoutDuration: number
  lockoutCounterResetAfter: number
  /** Whether logins need a second factor; of the users with these roles, or of all. */
  secondFactor: boolean
  secondFactorRoles?: readonly string[]
  basicAuth: Configuration['basicAuth']
  localAccounts: (typeof localAccountModes)[number]
}
