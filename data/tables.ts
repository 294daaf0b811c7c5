import type { Values } from './bios/registry.ts'
import type { TransferMessage } from './bios/transfer.ts'
import type { BoardVolume } from './inventory.ts'
import type { bootOverrides, bootTargets } from './systems.ts'

/**
 * What the service stores: a record type for each table. A handler file that stores something of its own adds its table
 * with `declare module '#data' { interface Tables { … } }`.
 */
export interface Tables {
  /** By user name. */
  account: Account
  /** By session id. */
  session: Session
  /** By chassis id. */
  chassis: { locating: boolean }
  /** By system id. */
  system: System
  /** UEFI variables as they are to be, until the firmware's store has them: by `<system>/<guid>/<name>`. */
  variable: WantedVariable
  /** The values that the BIOS runs with: by system id. */
  biosCurrent: BiosCurrent
  /** What is to be at the next start of the host: by system id; absent while there is nothing. */
  biosPending: BiosPending
  /** By system id; absent until the host was seen to boot. */
  secureBoot: SecureBoot
  /** By `<log>/<number>`, the number with ten digits: see `logPath`. */
  logEntry: LogEntry
  /** By `<system>/<storage>`. */
  storage: StorageSettings
  /** What is in a virtual drive: by `<manager>/<drive>`; absent while there is nothing. */
  virtualMedia: VirtualMedia
  /** By manager id. */
  clock: { timeServers: readonly string[] }
  /** One record, `settings`. */
  sessionService: SessionPolicy
  /** One record, `settings`. */
  accountService: AccountPolicy
}

export interface Account {
  name: string
  role: string
  /** A salted, slow hash, never the password. */
  password: string
  enabled: boolean
  passwordChangeRequired: boolean
  /** Until when the account is locked after failed logins, in milliseconds since 1970; 0 when it is not. */
  lockedUntil: number
  /** When the password was last set, ISO 8601. */
  passwordSetAt: string
}

export interface Session {
  user: string
  /** The SHA-256 of the token, hex, never the token. */
  token: string
  /** Milliseconds since 1970. */
  createdAt: number
  accessedAt: number
  address: string
}

export interface System {
  assetTag: string
  bootOverrideEnabled: (typeof bootOverrides)[number]
  bootOverrideTarget: (typeof bootTargets)[number]
  /** The UEFI device path that `UefiTarget` means. */
  bootOverrideUefiTarget: string | null
  /** Boot option references in order. Empty: the board's order. */
  bootOrder: readonly string[]
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
  lockoutThreshold: number
  lockoutDuration: number
  lockoutCounterResetAfter: number
}

/** A change to a UEFI variable that waits for the host to be held. */
export interface WantedVariable {
  attributes: number
  /** Hex digits; `null` where the variable is to go. */
  data: string | null
}

export interface SecureBoot {
  /** What the host booted with. */
  current: 'Enabled' | 'Disabled'
}

export interface BiosCurrent {
  attributes: Values
  /** The salted, slow hashes of the passwords that are set, by `Administrator` and `User`. */
  passwords: { readonly [name: string]: string }
  /** When the last transfer ran, ISO 8601; empty before the first. */
  transferredAt: string
  /** What the last transfer had to say. */
  messages: readonly TransferMessage[]
}

export interface BiosPending {
  /** Only what differs from the current values. */
  attributes: Values
  /** Whether the defaults come back first. */
  reset: boolean
  /** Hashes of passwords to set; empty where one is to go. */
  passwords: { readonly [name: string]: string }
}

export interface LogEntry {
  /** ISO 8601. */
  created: string
  severity: 'OK' | 'Warning' | 'Critical'
  text: string
}

export interface StorageSettings {
  volumes: { readonly [id: string]: BoardVolume }
  /** Percent of the controller's time that goes to rebuilding volumes. */
  rebuildRate: number
}

export interface VirtualMedia {
  /** A URI of http or https. */
  image: string
  inserted: boolean
  writeProtected: boolean
}
