/** What this product is: shapes shared by resources, inventories, defaults and the types of what is stored. */

export * from '../hal/uefi/signature-list.ts'
export {
  accountPolicy,
  administers,
  passwordLacks,
  privilegesOf,
  sessionPolicy,
  showPrivileges,
  userNamePattern
} from './accounts.ts'
export * from './actions.ts'
export { registryFaults } from './bios/faults.ts'
export * from './bios/pending.ts'
export type {
  Attribute,
  AttributeRegistry,
  Dependency,
  MapFrom,
  MappedProperty,
  Menu,
  Value,
  Values
} from './bios/registry.ts'
export * from './bios/transfer.ts'
export { acceptsPassword, biosPasswords, checkAttribute, type Fault, longestValue } from './bios/values.ts'
export {
  type Backend,
  type Board,
  type BoardBootOption,
  type BoardChassis,
  type BoardManager,
  type BoardSystem,
  boardFaults,
  chassisTypes,
  entry
} from './board.ts'
export { type BootName, formatBootName, parseBootName } from './boot-name.ts'
export * from './certificates.ts'
export { type Configuration, configuration } from './configuration.ts'
export * from './controller.ts'
export { display, isSecret, pointerToken, shorten } from './display.ts'
export { formatDuration, parseDuration, parseTime } from './duration.ts'
export * from './ethernet.ts'
export * from './event-destination.ts'
export * from './events.ts'
export * from './inventory.ts'
export * from './license.ts'
export * from './logs.ts'
export {
  allowsImage,
  type ImageSource,
  parseImage,
  redirection,
  transferMethods,
  transferProtocols
} from './media.ts'
export { notification } from './notification.ts'
export { registryId } from './registries.ts'
export {
  heldPrivileges,
  type Privilege,
  type Role,
  type RoleId,
  roleIds,
  roles,
  type StandardPrivilege,
  standardPrivileges,
  vendorPrivileges
} from './roles.ts'
export * from './schemas.ts'
export * from './secure-boot.ts'
export * from './sensors.ts'
export * from './service-root.ts'
export * from './storage.ts'
export * from './system-schemas.ts'
export * from './systems.ts'
export type {
  Account,
  AccountPolicy,
  BiosCurrent,
  BiosPending,
  ControllerPending,
  DeliveryRecord,
  EventRecord,
  HostPending,
  LogEntry,
  ManagerSettings,
  MetricReportDefinition,
  ReportRecord,
  SecureBoot,
  Session,
  SessionPolicy,
  StorageSettings,
  Subscription,
  System,
  Tables,
  Task,
  TemperatureThreshold,
  VirtualMedia,
  WantedVariable
} from './tables.ts'
export * from './tasks.ts'
export * from './telemetry.ts'
export * from './telemetry-schemas.ts'
export * from './variables.ts'
export { withMachine } from './virtual-machine.ts'
