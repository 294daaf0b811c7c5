import type { Values } from './bios/registry.ts'
import type { TransferMessage } from './bios/transfer.ts'
import type { BootMode, clearings, hotKeys } from './controller.ts'
import type { EventPrefix } from './events.ts'
import type { BoardVolume } from './inventory.ts'
import type { License } from './license.ts'
import type { Privilege } from './roles.ts'
import type { bootOverrides, bootTargets } from './systems.ts'
import type { taskStates } from './tasks.ts'
import type { collectionFunctions, reportActions, reportTypes, reportUpdates, timeScopes } from './telemetry-schemas.ts'

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
  /** By id: see `certificateId`. Whose signature on a client's certificate is believed. */
  trustedCertificate: { pem: string }
  /** By user name: the one certificate that its owner may log in with. */
  userCertificate: { pem: string }
  /** By manager id. */
  certificateLogin: { enabled: boolean }
  /** By manager id; absent while none is installed. */
  license: License
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
  /** By id: see `eventKey`. The newest ones, for those who missed them, and those that wait for a subscriber. */
  event: EventRecord
  /** Metric reports that wait for a subscriber: by id, of the same count as events. */
  report: ReportRecord
  /** By id. */
  subscription: Subscription
  /** How far a subscription got: by its id; absent before the first delivery. */
  delivery: DeliveryRecord
  /** One record, `settings`. */
  eventService: { enabled: boolean }
  /** By `<system>/<storage>`. */
  storage: StorageSettings
  /** What is in a virtual drive: by `<manager>/<drive>`; absent while there is nothing. */
  virtualMedia: VirtualMedia
  /** By manager id; absent where the board's file says it. */
  managerIdentity: { uuid: string; serviceEntryPointUuid: string }
  /** By manager id. */
  clock: { timeServers: readonly string[] }
  /** One record, `settings`. */
  sessionService: SessionPolicy
  /** One record, `settings`. */
  accountService: AccountPolicy
  /** One record, `keytab`; absent while there is none. */
  kerberos: KerberosKeytab
  /** By manager id. */
  manager: ManagerSettings
  /** One record, `settings`. */
  controller: ControllerState
  /** What waits for the next start of the controller, by what it is: see `controllerWork`. */
  controllerPending: ControllerPending
  /** What waits for the next start of the host, and is no setting of its: by system id; absent while there is nothing. */
  hostPending: HostPending
  /** How the host started last: by system id; absent until it did otherwise than normally. */
  boot: { mode: BootMode }
  /** By id. */
  task: Task
  /** What a user set for a temperature: by `<chassis>/<sensor number>/<Warning or Critical>`. */
  temperatureThreshold: TemperatureThreshold
  /** By id; what ships is here only once it was changed. */
  metricReportDefinition: MetricReportDefinition
}

export interface Account {
  name: string
  role: string
  /** A salted, slow hash, never the password. */
  password: string
  enabled: boolean
  /** Privileges beyond those of the role. */
  granted?: readonly Privilege[]
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

export interface KerberosKeytab {
  /** Sealed; base64 within. */
  keytab: string
  /** ISO 8601. */
  importedAt: string
}

export interface ManagerSettings {
  /** The keys that each hot key of the remote console sends. */
  hotKeys: { readonly [K in (typeof hotKeys)[number]]: readonly string[] }
  cloudConnect: boolean
}

export interface ControllerState {
  /** Nothing can be changed but by a reset of the controller. */
  disabled: boolean
}

export interface ControllerPending {
  /** Who asked for it. */
  user: string
}

export interface HostPending {
  mode: BootMode
  /** Whether firmware and operating system are to be recovered. */
  recovery: boolean
  clearing: (typeof clearings)[number]
}

/** Work that takes time: the erasing of a system. */
export interface Task {
  system: string
  state: (typeof taskStates)[number]
  user: string
  /** What is to be erased, in order (see `eraseParts`), and how many of it are. */
  parts: readonly string[]
  done: number
  /** ISO 8601; `endedAt` empty while it runs. */
  startedAt: string
  endedAt: string
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
  /** With the registry's version. */
  messageId: string
  args: readonly string[]
}

/** An event as it happened. */
export interface EventRecord extends LogEntry {
  /** The canonical URI, without a trailing slash, of what it is about. */
  origin: string
  /** The ids of the subscriptions that were told when it happened. */
  to: readonly string[]
  /** What a client who submits an event for a test wants it to be called, and to have happened at. */
  eventId?: string
  timestamp?: string
}

export interface ReportRecord {
  /** ISO 8601. */
  created: string
  /** The metric report, as JSON. */
  text: string
  to: readonly string[]
}

export interface Subscription {
  /** See `parseDestination`. */
  destination: string
  context: string
  format: 'Event' | 'MetricReport'
  /** Of the events that are wanted. */
  prefixes: readonly EventPrefix[]
  /** HTTP headers of each notification, as JSON: sealed; empty where there are none. */
  headers: string
  /** The URIs, without a trailing slash, of the definitions whose reports are wanted; empty: all of them. */
  metricReportDefinitions: readonly string[]
  /** Whether the subscriber's certificate must be of an authority that the service trusts. */
  verifyCertificate: boolean
  /** Whether the service shows its own certificate. */
  mutualAuthentication: boolean
  /** How often a delivery that failed is tried again, and after how many seconds. */
  retryAttempts: number
  retryInterval: number
  /** How many events may wait. */
  mostQueued: number
  /** Minutes after which an event is no longer worth delivering. */
  retireAfter: number
}

export interface DeliveryRecord {
  /** Up to this id, all that the subscription was told is delivered or dropped. */
  settled: number
  delivered: number
  /** Dropped: because the queue was full, because they were too old, because no attempt succeeded. */
  queueFull: number
  retired: number
  attemptsSpent: number
  /** Whether the last event that was settled is one that no attempt could deliver. */
  unreachable: boolean
  /** ISO 8601; empty before the first. */
  deliveredAt: string
  failedAt: string
  /** Why the last attempt that failed did. */
  failure: string
}

export interface TemperatureThreshold {
  /** Degrees Celsius; `null` until the controller has started with it. */
  effective: number | null
  /** What is to be from the next start of the controller on. */
  pending: number | null
}

/** Of which metrics reports are made, and when. */
export interface MetricReportDefinition {
  name: string
  /** Of one that ships, and a client deleted. */
  removed: boolean
  type: (typeof reportTypes)[number]
  enabled: boolean
  /** Durations as they were given: see `parseDuration`. */
  interval: string | null
  /** ISO 8601. */
  start: string | null
  actions: readonly (typeof reportActions)[number][]
  updates: (typeof reportUpdates)[number]
  /** The most values in a report that others are appended to. */
  appendLimit: number
  metrics: readonly {
    readonly id: string
    /** URIs; empty: all that the metric of this id has. */
    readonly properties: readonly string[]
    readonly function: (typeof collectionFunctions)[number] | null
    readonly duration: string | null
    readonly timeScope: (typeof timeScopes)[number]
  }[]
}

export interface StorageSettings {
  volumes: { readonly [id: string]: BoardVolume }
  /** Percent of the controller's time that goes to rebuilding volumes. */
  rebuildRate: number
}

export interface VirtualMedia {
  /** A URI: see `parseImage`; where no host sees the drive, of http or https. */
  image: string
  /** Of a drive that a host sees: false while the image is on its way. */
  inserted: boolean
  writeProtected: boolean
  /** Whether the certificate of the image's server must be of an authority that the service trusts. */
  verifyCertificate: boolean
}
