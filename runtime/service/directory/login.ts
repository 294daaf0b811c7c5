import {
  bindNameOf,
  comparable,
  type DirectoryKind,
  type DirectorySettings,
  firstValue,
  isBelow,
  mappedRole
} from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { type DirectoryConnection, DirectoryError } from './connection.ts'
import { all, any, type Entry, equal, type Filter, memberInChain, present } from './messages.ts'

/** A user as the directory has said, who has a role here. */
export interface DirectoryUser {
  readonly name: string
  readonly role: string
}

/** The parameters of a login: the directory, its settings, and the limits. */
export interface Directions {
  readonly kind: DirectoryKind
  readonly settings: DirectorySettings
  /** Of `bindName`; empty without a password. */
  readonly bindPassword: string
  readonly limits: Configuration['directory']
}

/** More groups in groups in groups than these are not followed. */
const deepest = 8

/**
 * Has a directory say whether a name has a password, and which role the user has by the groups. Everything that the
 * directory says is checked: the entry has to be below a base, and has to have the name.
 *
 * @returns undefined for an unknown user, another password, and a user without a role
 * @throws DirectoryError where the directory does not say
 */
export async function logIn(
  connection: DirectoryConnection,
  directions: Directions,
  user: string,
  password: string
): Promise<DirectoryUser | undefined> {
  const { bindTemplate, mappings } = directions.settings
  const ownName = bindTemplate === '' ? undefined : bindNameOf(bindTemplate, user)
  if (ownName === undefined) await bindForSearch(connection, directions)
  else if (!(await connection.bind(ownName, password))) return undefined
  const entry = await findUser(connection, directions, user)
  if (entry === undefined) return undefined
  // A name of the template may be that of another user: in Active Directory, a userPrincipalName need not be like the
  // sAMAccountName.
  const isProven = ownName !== undefined && comparable(ownName) === comparable(entry.dn)
  if (!isProven && !(await connection.bind(entry.dn, password))) return undefined
  if (ownName === undefined) await bindForSearch(connection, directions)
  const wantsGroups = mappings.some(({ group }) => group !== undefined)
  const groups = wantsGroups ? await groupsOf(connection, directions, entry, user) : new Set<string>()
  const role = mappedRole(mappings, user, groups)
  return role === undefined ? undefined : { name: user, role }
}

/**
 * Does what logins do before they know a user: binds for searches, and reads each base. With a template a user binds first,
 * and there is nothing to do.
 *
 * @throws DirectoryError where a login would fail
 */
export async function tryOut(connection: DirectoryConnection, directions: Directions): Promise<void> {
  const { bindTemplate, bases } = directions.settings
  if (bindTemplate !== '') return
  await bindForSearch(connection, directions)
  for (const base of bases) {
    const filter = present('objectClass')
    const found = await connection.search({ base, scope: 'base', filter, attributes: ['objectClass'], most: 1 })
    if (found.length === 0) throw new DirectoryError(`the directory shows no entry ${base}`)
  }
}

/** Without a name of its own, a client that has not bound searches anonymously. */
async function bindForSearch(connection: DirectoryConnection, { settings, bindPassword }: Directions): Promise<void> {
  if (settings.bindName === '') return
  if (!(await connection.bind(settings.bindName, bindPassword))) {
    throw new DirectoryError('the directory refuses the name or the password for searches', true)
  }
}

/**
 * Whether the rule of Active Directory finds the groups of an attribute of users. It is asked for those of mappings only,
 * however many there are; of the attribute the directory sends 1,500 values, and those under another name (MS-ADTS
 * 3.1.1.3.1.3.3).
 */
const isInRule = (kind: DirectoryKind, attribute: string) =>
  kind === 'ActiveDirectory' && attribute.toLowerCase() === 'memberof'

/** The entry with the name; undefined if no entry has it, or more than one. */
async function findUser(
  connection: DirectoryConnection,
  { settings, kind }: Directions,
  user: string
): Promise<Entry | undefined> {
  const { bases, userNameAttribute, groupsAttribute } = settings
  const attributes = [userNameAttribute, ...(isInRule(kind, groupsAttribute) ? [] : [groupsAttribute])]
  const found: Entry[] = []
  for (const base of bases) {
    const filter = equal(userNameAttribute, user)
    const entries = await connection.search({ base, scope: 'subtree', filter, attributes, most: 2 })
    found.push(...entries.filter((entry) => entry.dn !== '' && isBelow(entry.dn, base) && isOf(entry, user)))
  }
  const names = new Set(found.map(({ dn }) => comparable(dn)))
  return names.size === 1 ? found[0] : undefined

  function isOf(entry: Entry, name: string): boolean {
    return valuesOf(entry, userNameAttribute).some((value) => value.toLowerCase() === name.toLowerCase())
  }
}

/** The names and distinguished names of the groups that a user is in, by itself or through other groups. */
async function groupsOf(
  connection: DirectoryConnection,
  directions: Directions,
  entry: Entry,
  user: string
): Promise<ReadonlySet<string>> {
  const { settings, kind, limits } = directions
  const { groupsAttribute, groupNameAttribute } = settings
  const groups = new Groups(limits.groups, settings)
  const direct = isInRule(kind, groupsAttribute) ? [] : valuesOf(entry, groupsAttribute)
  for (const dn of direct) groups.add(dn, [])
  if (kind === 'ActiveDirectory') {
    const filter = all(memberInChain(entry.dn), wanted(settings))
    for (const each of await search(filter)) groups.add(each.dn, valuesOf(each, groupNameAttribute))
    return groups.names
  }
  let members = [entry.dn, ...direct]
  for (let depth = 0; members.length > 0 && depth < deepest; depth += 1) {
    const ofUser = depth === 0 ? [equal('memberUid', user)] : []
    const filter = any(...ofUser, ...members.flatMap((dn) => [equal('member', dn), equal('uniqueMember', dn)]))
    const found = await search(filter)
    members = found.flatMap((each) => (groups.add(each.dn, valuesOf(each, groupNameAttribute)) ? [each.dn] : []))
  }
  return groups.names

  async function search(filter: Filter): Promise<readonly Entry[]> {
    const found: Entry[] = []
    for (const base of settings.bases) {
      const attributes = [groupNameAttribute]
      const entries = await connection.search({ base, scope: 'subtree', filter, attributes, most: limits.groups })
      found.push(...entries.filter(({ dn }) => isBelow(dn, base)))
    }
    return found
  }
}

/** The groups that mappings name: others need not be sent. */
function wanted({ mappings, groupNameAttribute }: DirectorySettings): Filter {
  const groups = mappings.flatMap(({ group }) => (group === undefined ? [] : [group]))
  const filters = groups.map((group) => equal(group.includes('=') ? 'distinguishedName' : groupNameAttribute, group))
  return filters.length === 0 ? present(groupNameAttribute) : any(...filters)
}

/** Groups that were found, each once. */
class Groups {
  readonly names = new Set<string>()
  readonly #most: number
  readonly #settings: DirectorySettings
  readonly #known = new Set<string>()

  constructor(most: number, settings: DirectorySettings) {
    this.#most = most
    this.#settings = settings
  }

  /**
   * Whether the group is new.
   *
   * @throws DirectoryError where there are more groups than may be: a part of them could give another role
   */
  add(dn: string, names: readonly string[]): boolean {
    const isNew = !this.#known.has(comparable(dn))
    this.#known.add(comparable(dn))
    if (this.#known.size > this.#most) throw new DirectoryError(`the user is in more than ${this.#most} groups`)
    const { groupNameAttribute, bases } = this.#settings
    if (!bases.some((base) => isBelow(dn, base))) return false
    this.names.add(comparable(dn))
    // A name that looks like a distinguished name must not stand for the group that has it.
    for (const name of [...names, firstValue(dn, groupNameAttribute) ?? ''])
      if (name !== '' && !name.includes('=')) this.names.add(comparable(name))
    return isNew
  }
}

const valuesOf = (entry: Entry, attribute: string) => entry.attributes.get(attribute.toLowerCase()) ?? []
