import {
  type Caller,
  fail,
  forbidden,
  type HeldPrivilege,
  type Privilege,
  type StandardPrivilege,
  type State,
  standardPrivileges,
  vendorPrivileges
} from '#runtime/contract'
import type { Account, Role } from './records.ts'
import { withinTypes } from './types.ts'

/** The schema of the privileges of a user. @param readonly false if clients may change them */
export function heldPrivileges<const R extends boolean>(readonly: R) {
  const flags = Object.fromEntries(vendorPrivileges.map((each) => [each, { type: 'boolean', readonly }]))
  return flags as { readonly [P in Privilege]: { readonly type: 'boolean'; readonly readonly: R } }
}

/** The id of a role. It needs no escaping in a URI. */
export const roleId = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_.-]*$' } as const

export const roleIds = ['Administrator', 'Operator', 'ReadOnly'] as const

type RoleId = (typeof roleIds)[number]

/** The role of a user without any privilege, where the machine has such users (DSP0266 13.4.3). */
export const noAccess = 'NoAccess'

/** The privileges that each standard privilege (DSP0266 13.4.2) includes. `SystemRecoveryConfigPriv` is in none of them. */
const included: Readonly<Record<StandardPrivilege, readonly HeldPrivilege[]>> = {
  Login: ['LoginPriv'],
  ConfigureManager: ['MgmtConfigPriv'],
  ConfigureUsers: ['UserConfigPriv'],
  ConfigureComponents: [
    'HostBIOSConfigPriv',
    'HostNICConfigPriv',
    'HostStorageConfigPriv',
    'RemoteConsolePriv',
    'VirtualMediaPriv',
    'VirtualPowerAndResetPriv'
  ],
  ConfigureSelf: ['ConfigureSelf']
}

/** A predefined role (DSP0266 13.4.3). */
interface PredefinedRole extends Role {
  readonly description: string
}

function predefined(description: string, standard: readonly StandardPrivilege[]): PredefinedRole {
  const held = new Set(standard.flatMap((each) => included[each]))
  return { description, standard, vendor: vendorPrivileges.filter((each) => held.has(each)) }
}

const predefinedRoles: Readonly<Record<RoleId, PredefinedRole>> = {
  Administrator: predefined('Configures everything but system recovery', standardPrivileges),
  Operator: predefined('Operates the host and its components', ['Login', 'ConfigureComponents', 'ConfigureSelf']),
  ReadOnly: predefined('Reads everything and changes nothing but its own password', ['Login', 'ConfigureSelf'])
}

/** A predefined role by its id, exactly as it is written. */
export function predefinedRole(id: string): PredefinedRole | undefined {
  return Object.hasOwn(predefinedRoles, id) ? predefinedRoles[id as RoleId] : undefined
}

/** A role, predefined or custom; undefined for one that there is not. */
export function roleOf(state: State, id: string): Role | undefined {
  return predefinedRole(id) ?? state.get('role', id)
}

/** The privileges of roles, by the record, which does not change. */
const ofRoles = new WeakMap<Role, ReadonlySet<HeldPrivilege>>()

/** Everything that a role allows: its vendor privileges, and those that its standard ones include. */
export function rolePrivileges(role: Role | undefined): ReadonlySet<HeldPrivilege> {
  if (role === undefined) return new Set()
  const known = ofRoles.get(role)
  if (known !== undefined) return known
  const made = new Set([...role.standard.flatMap((each) => included[each]), ...role.vendor])
  ofRoles.set(role, made)
  return made
}

/** The members of an account that decide its privileges. */
export type Privileged = Pick<Account, 'role' | 'granted' | 'withheld' | 'types'>

interface Known {
  readonly role: Role | undefined
  readonly privileges: ReadonlySet<HeldPrivilege>
}

/** The privileges of accounts, by the record, with the role that they were made of. */
const ofAccounts = new WeakMap<Privileged, Known>()

/**
 * The privileges of an account: those of its role and those that it was granted, without those that it was denied and those
 * of services that its account types leave out. The same set until the account or its role changes.
 */
export function privilegesOf(state: State, account: Privileged): ReadonlySet<HeldPrivilege> {
  const role = roleOf(state, account.role)
  const known = ofAccounts.get(account)
  if (known !== undefined && known.role === role) return known.privileges
  const { granted = [], withheld = [] } = account
  const all = new Set([...rolePrivileges(role), ...granted])
  for (const each of withheld) all.delete(each)
  const privileges = withinTypes(all, account.types)
  ofAccounts.set(account, { role, privileges })
  return privileges
}

/** Whether an account can log in: it is enabled and may. A lock-out after failures, which is for a time, does not count. */
export function canLogIn(state: State, account: (Privileged & Pick<Account, 'enabled'>) | undefined): boolean {
  return account?.enabled === true && privilegesOf(state, account).has('LoginPriv')
}

/** The privileges of an account, as sessions and accounts show them: see `heldPrivileges`. */
export function showPrivileges(state: State, account: Privileged) {
  const held = privilegesOf(state, account)
  return Object.fromEntries(vendorPrivileges.map((each) => [each, held.has(each)]))
}

/** Whether `held` has all privileges of an administrator. */
function isAdministrator(held: ReadonlySet<HeldPrivilege>): boolean {
  return [...rolePrivileges(predefinedRoles.Administrator)].every((each) => held.has(each))
}

/** True for an account with all privileges of an administrator, also while a temporary lock-out lasts. */
export function administers(state: State, account: (Privileged & Pick<Account, 'enabled'>) | undefined): boolean {
  return account?.enabled === true && isAdministrator(privilegesOf(state, account))
}

/**
 * Refuses with 403 callers that grant, or take control of, a privilege that they do not have. Callers with all
 * privileges of an administrator also grant system recovery, which no predefined role has.
 */
export function refuseBeyond({ privileges }: Pick<Caller, 'privileges'>, granted: ReadonlySet<HeldPrivilege>): void {
  if (!isAdministrator(privileges) && [...granted].some((each) => !privileges.has(each))) forbidden()
}

/** @throws MessageError 403 unless the caller has all privileges of an administrator */
export function requireAdministrator({ privileges }: Pick<Caller, 'privileges'>): void {
  if (!isAdministrator(privileges)) forbidden()
}

/**
 * A role that accounts are to have.
 *
 * @throws MessageError 400 if there is no such role
 */
export function existingRole(state: State, id: string): Role {
  return roleOf(state, id) ?? fail(400, 'Base.PropertyValueNotInList', id, 'RoleId')
}
