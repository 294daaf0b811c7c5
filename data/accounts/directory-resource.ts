import { oem } from '#data/resource'
import { type Context, fail, type Infer, mergeArray, object, type State, type Writes } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import {
  type DirectoryKind,
  type DirectorySettings,
  directoryKinds,
  directorySettings,
  localAccountModes,
  parseDirectoryServer,
  type RoleMapping
} from './directory.ts'
import type { AccountPolicy } from './records.ts'
import { administers, refuseBeyond, roleOf, rolePrivileges } from './roles.ts'

const text = (maxLength: number, pattern?: string) =>
  ({ type: 'string', maxLength, ...(pattern !== undefined && { pattern }), nullable: true, readonly: false }) as const

const texts = (maxItems: number, maxLength: number) =>
  ({ type: 'array', items: { type: 'string', minLength: 1, maxLength }, maxItems, readonly: false }) as const

const attribute = { type: 'string', maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9-]*$', readonly: false } as const

const mappings = {
  type: 'array',
  items: object({ LocalRole: text(64), RemoteGroup: text(256), RemoteUser: text(64) }),
  maxItems: 16,
  readonly: false
} as const

/** A directory in AccountService (ExternalAccountProvider). */
export const directorySchema = object({
  AccountProviderType: { type: 'string', enum: ['LDAPService', 'ActiveDirectoryService'], readonly: true },
  Authentication: object({
    AuthenticationType: { type: 'string', enum: ['UsernameAndPassword'], readonly: true },
    Password: text(256),
    Username: text(256)
  }),
  LDAPService: object({
    SearchSettings: object({
      BaseDistinguishedNames: texts(4, 256),
      GroupNameAttribute: attribute,
      GroupsAttribute: attribute,
      UsernameAttribute: attribute
    })
  }),
  RemoteRoleMapping: mappings,
  ServiceAddresses: texts(4, 256),
  ServiceEnabled: { type: 'boolean', readonly: false },
  Oem: oem('VendorExternalAccountProvider.v1_0_0', {
    UserBindTemplate: {
      ...text(256, '^$|\\{user\\}'),
      description: 'The name by which users log in, with {user} in place of their names; without it users are searched'
    }
  })
})

/** The value of AccountService.LocalAccountAuth. */
export const localAccountAuth = { type: 'string', enum: localAccountModes, readonly: false } as const

/** A directory as AccountService shows it: without the password. */
export function showDirectory(state: State, kind: DirectoryKind): Infer<typeof directorySchema, '@odata.type'> {
  const shown = directorySettings(kind, state.get('directory', kind))
  return {
    AccountProviderType: `${kind}Service`,
    Authentication: {
      AuthenticationType: 'UsernameAndPassword',
      Password: null,
      Username: shown.bindName || null
    },
    LDAPService: {
      SearchSettings: {
        BaseDistinguishedNames: shown.bases,
        GroupNameAttribute: shown.groupNameAttribute,
        GroupsAttribute: shown.groupsAttribute,
        UsernameAttribute: shown.userNameAttribute
      }
    },
    RemoteRoleMapping: shown.mappings.map(showMapping),
    ServiceAddresses: shown.addresses,
    ServiceEnabled: shown.enabled,
    Oem: { Vendor: { UserBindTemplate: shown.bindTemplate || null } }
  }
}

function showMapping({ user, group, role }: RoleMapping) {
  return { LocalRole: role, RemoteGroup: group ?? null, RemoteUser: user ?? null }
}

type Changes = Writable<typeof directorySchema>

interface Body {
  readonly LDAP?: Changes | undefined
  readonly ActiveDirectory?: Changes | undefined
  readonly LocalAccountAuth?: AccountPolicy['localAccounts'] | undefined
}

type Known = Pick<Context, 'state' | 'caller' | 'credentials' | 'seal' | 'random'>

/**
 * The records of the directories that a PATCH of AccountService changes.
 *
 * @throws MessageError 400 for invalid settings, and where no user could log in any more; 403 if the client would grant
 *   privileges that it does not have; 409 where no administrator could log in any more
 */
export function changeDirectories(known: Known, body: Body): Pick<Writes, 'directory'> {
  const changed = directoryKinds.flatMap((kind) => {
    const changes = body[kind]
    if (changes !== undefined && !known.credentials.asksDirectories) fail(400, 'Base.PropertyUnknown', kind)
    return changes === undefined ? [] : ([[kind, changeDirectory(known, kind, changes)]] as const)
  })
  const after = new Map<DirectoryKind, DirectorySettings>(changed)
  const stored = known.state.get('accountService', 'settings')?.localAccounts
  if ((body.LocalAccountAuth ?? stored) === 'Disabled') keepUserManager(known.state, after)
  return changed.length === 0 ? {} : { directory: Object.fromEntries(changed) }
}

/** Without local accounts an administrator has to come from a directory. */
function keepUserManager(state: State, after: ReadonlyMap<DirectoryKind, DirectorySettings>): void {
  const all = directoryKinds.map((kind) => after.get(kind) ?? directorySettings(kind, state.get('directory', kind)))
  const enabled = all.filter((each) => each.enabled)
  if (enabled.length === 0) fail(400, 'Base.PropertyValueConflict', 'LocalAccountAuth', 'ServiceEnabled')
  const manages = ({ role }: RoleMapping) => administers(state, { enabled: true, role })
  if (!enabled.some(({ mappings }) => mappings.some(manages))) fail(409, 'Mgmt.LastAdministrator')
}

function changeDirectory({ state, caller, seal, random }: Known, kind: DirectoryKind, body: Changes) {
  const before = directorySettings(kind, state.get('directory', kind))
  const { Authentication: authentication, ServiceAddresses: addresses } = body
  const { BaseDistinguishedNames: bases, ...attributes } = body.LDAPService?.SearchSettings ?? {}
  const password = authentication?.Password
  const after: DirectorySettings = {
    enabled: body.ServiceEnabled ?? before.enabled,
    addresses: addresses === undefined ? before.addresses : mergeArray(before.addresses, addresses),
    bindName: textAfter(before.bindName, authentication?.Username),
    bindPassword: password ? seal(password) : textAfter(before.bindPassword, password),
    bindTemplate: textAfter(before.bindTemplate, body.Oem?.Vendor?.UserBindTemplate),
    bases: bases === undefined ? before.bases : mergeArray(before.bases, bases),
    userNameAttribute: attributes.UsernameAttribute ?? before.userNameAttribute,
    groupNameAttribute: attributes.GroupNameAttribute ?? before.groupNameAttribute,
    groupsAttribute: attributes.GroupsAttribute ?? before.groupsAttribute,
    mappings: mappingsAfter(before.mappings, body.RemoteRoleMapping),
    generation: random(8)
  }
  const unknown = after.addresses.find((address) => parseDirectoryServer(address) === undefined)
  if (unknown !== undefined) fail(400, 'Base.PropertyValueFormatError', unknown, 'ServiceAddresses')
  if (after.enabled && after.addresses.length === 0) conflictWith('ServiceAddresses')
  if (after.enabled && after.bases.length === 0) conflictWith('BaseDistinguishedNames')
  if ((after.bindName === '') !== (after.bindPassword === '')) {
    fail(400, 'Base.PropertyMissing', after.bindName === '' ? 'Username' : 'Password')
  }
  // Whoever changes the servers or the search decides who gets the mapped roles.
  for (const { role } of after.mappings) {
    refuseBeyond(
      caller,
      rolePrivileges(roleOf(state, role) ?? fail(400, 'Base.PropertyValueNotInList', role, 'LocalRole'))
    )
  }
  return after
}

function conflictWith(property: string): never {
  fail(400, 'Base.PropertyValueConflict', 'ServiceEnabled', property)
}

function mappingsAfter(before: readonly RoleMapping[], patch: Changes['RemoteRoleMapping']): readonly RoleMapping[] {
  if (patch === undefined) return before
  return mergeArray(before.map(showMapping), patch).map(({ LocalRole, RemoteGroup, RemoteUser }) => {
    if (!LocalRole) fail(400, 'Base.PropertyMissing', 'LocalRole')
    if (RemoteGroup && RemoteUser) fail(400, 'Base.PropertyValueConflict', 'RemoteGroup', 'RemoteUser')
    if (!RemoteGroup && !RemoteUser) fail(400, 'Base.PropertyMissing', 'RemoteGroup')
    return { role: LocalRole, ...(RemoteGroup ? { group: RemoteGroup } : { user: RemoteUser ?? '' }) }
  })
}

/** `null` clears a text. */
function textAfter(before: string, given: string | null | undefined): string {
  return given === undefined ? before : (given ?? '')
}
