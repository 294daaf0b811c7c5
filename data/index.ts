/** What this product is: shapes shared by resources, inventories, defaults and the types of what is stored. */

export * from '../hal/uefi/signature-list.ts'
export { accountPolicy, administers, passwordLacks, sessionPolicy, userNamePattern } from './accounts.ts'
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
export { type Configuration, configuration } from './configuration.ts'
export { display, isSecret, pointerToken, shorten } from './display.ts'
export * from './ethernet.ts'
export * from './inventory.ts'
export * from './logs.ts'
export { registryId } from './registries.ts'
export {
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
export { reading } from './sensors.ts'
export * from './storage.ts'
export * from './systems.ts'
export type {
  Account,
  AccountPolicy,
  BiosCurrent,
  BiosPending,
  LogEntry,
  SecureBoot,
  Session,
  SessionPolicy,
  StorageSettings,
  System,
  Tables,
  VirtualMedia,
  WantedVariable
} from './tables.ts'
export * from './variables.ts'
