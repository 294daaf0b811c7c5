import { parseServer } from '#runtime/base/server.ts'
import { type Caller, type State, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By the kind of directory. */
    directory: DirectorySettings
  }
  interface Commands {
    /** Asks each server of a directory. The address is that of the client. */
    testDirectory: { readonly directory: DirectoryKind; readonly address: string }
  }
}

table('directory', { survives: ['restart', 'restStateReset'], of: 'users' })

/** The members of AccountService that are directories, in the order in which they are asked. */
export const directoryKinds = ['LDAP', 'ActiveDirectory'] as const

export type DirectoryKind = (typeof directoryKinds)[number]

/** Whether local accounts log in beside the users of directories (AccountService.LocalAccountAuth). */
export const localAccountModes = ['Enabled', 'Disabled', 'Fallback', 'LocalFirst'] as const

/** Users of a directory who get a role: one user, or those of a group. */
export interface RoleMapping {
  /** The name of the user. */
  user?: string | undefined
  /** The name of the group, or its distinguished name. */
  group?: string | undefined
  role: string
}

/** The settings of a directory. `directorySettings` has their defaults. */
export interface DirectorySettings {
  enabled: boolean
  /** In the order in which they are tried. See `parseDirectoryServer`. */
  addresses: readonly string[]
  /** The distinguished name by which users are searched; empty: see `bindTemplate`. */
  bindName: string
  /** The password of `bindName`, sealed; empty without one. */
  bindPassword: string
  /** The name by which a user binds, with `{user}` where the name of the user is to be; empty: users are searched. */
  bindTemplate: string
  /** Where users and groups are searched, distinguished names. */
  bases: readonly string[]
  userNameAttribute: string
  groupNameAttribute: string
  /** The attribute of users that has the distinguished names of their groups. */
  groupsAttribute: string
  mappings: readonly RoleMapping[]
  /** Random: another one with each change. Sessions of users of the directory end with it. */
  generation: string
}

/** The settings of a directory: what clients set, else what servers of its kind have. */
export function directorySettings(
  kind: DirectoryKind,
  stored: Partial<DirectorySettings> | undefined
): DirectorySettings {
  return {
    enabled: false,
    addresses: [],
    bindName: '',
    bindPassword: '',
    bindTemplate: '',
    bases: [],
    userNameAttribute: kind === 'LDAP' ? 'uid' : 'sAMAccountName',
    groupNameAttribute: 'cn',
    groupsAttribute: 'memberOf',
    mappings: [],
    generation: '',
    ...stored
  }
}

/** A server of a directory. */
export interface DirectoryServer {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
  /** Whether TLS begins with StartTLS, and not with the connection. */
  readonly startTls: boolean
}

/**
 * The server of `ldaps://host[:port]`, `ldap://host[:port]`, which has to take StartTLS, or `host[:port]`, which means the
 * first. Undefined for any other text.
 */
export function parseDirectoryServer(text: string): DirectoryServer | undefined {
  const [, scheme = 'ldaps', authority = ''] = /^(?:(ldaps?):\/\/)?([^/]+)\/?$/i.exec(text) ?? []
  const startTls = scheme.toLowerCase() === 'ldap'
  const server = parseServer(authority, startTls ? 389 : 636)
  return server && { ...server, host: server.host.replace(/^\[|\]$/g, ''), startTls }
}

/** The id of the user of a directory as a caller. No account has a colon in its id. */
export function directoryAccount(kind: DirectoryKind, user: string): string {
  return `${kind}:${user.toLowerCase()}`
}

/** The directory that a caller's account is of; undefined for a local account. */
export function directoryOf(account: string): DirectoryKind | undefined {
  return directoryKinds.find((kind) => account.startsWith(`${kind}:`))
}

/** The member `directory` of a session; undefined for a caller with a local account. */
export function directoryUser({ account, user, role }: Pick<Caller, 'account' | 'user' | 'role'>) {
  return directoryOf(account) && { user, role }
}

/**
 * The role of a user: that of the first mapping that names the user, else that of the first that names a group of the
 * user's. Undefined if none does: such a user cannot log in.
 *
 * @param groups the names and distinguished names of the user's groups, as `comparable` has them
 */
export function mappedRole(
  mappings: readonly RoleMapping[],
  user: string,
  groups: ReadonlySet<string>
): string | undefined {
  const own = mappings.find((each) => each.user?.toLowerCase() === user.toLowerCase())
  const found = own ?? mappings.find(({ group }) => group !== undefined && groups.has(comparable(group)))
  return found?.role
}

/** A name or distinguished name in a form in which equal ones are equal: directories ignore case, and blanks at commas. */
export function comparable(name: string): string {
  return name
    .toLowerCase()
    .split(/(?<!\\),/)
    .map((part) => part.trim().replace(/\s*=\s*/, '='))
    .join(',')
}

/** Whether users of a directory get a role. */
export function isMapped(state: State, role: string): boolean {
  return directoryKinds.some((kind) => state.get('directory', kind)?.mappings.some((each) => each.role === role))
}

/** The value of an attribute in the first part of a distinguished name; undefined if that part is another attribute. */
export function firstValue(dn: string, attribute: string): string | undefined {
  const [type = '', ...rest] = (dn.split(/(?<!\\)[,+]/)[0] ?? '').split('=')
  if (type.trim().toLowerCase() !== attribute.toLowerCase()) return undefined
  return rest
    .join('=')
    .trim()
    .replace(/\\([,+"\\<>;=# ])/g, '$1')
}

/** Whether an object is below another, or the same. */
export function isBelow(dn: string, base: string): boolean {
  const [inner, outer] = [comparable(dn), comparable(base)]
  return outer === '' || inner === outer || inner.endsWith(`,${outer}`)
}

/** A template with the name of a user in it, as distinguished names want it (RFC 4514 2.4). */
export function bindNameOf(template: string, user: string): string {
  return template.replaceAll('{user}', user.replace(/[,+"\\<>;=#]|^ | $/g, '\\$&'))
}
