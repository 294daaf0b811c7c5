import type { Configuration } from '#data/configuration'
import {
  type Caller,
  type Context,
  fail,
  type Message,
  message,
  type State,
  type Tables,
  type Writes
} from '#runtime/contract'
import { isCommonPassword } from './common-passwords.ts'
import { directoryOf } from './directory.ts'
import { accountPolicy } from './policy.ts'
import type { AccountPolicy, Session, SessionPolicy } from './records.ts'
import { administers, canLogIn } from './roles.ts'
import { forgetSecondFactor } from './second-factor.ts'

/** User names have only characters that need no escaping in a URI, and no colon (RFC 7617 2). */
export const userName = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z_][A-Za-z0-9_.@-]*$' } as const

/** The display name of an account; no login uses it. */
export const loginName = { type: 'string', minLength: 1, maxLength: 64 } as const

/** The policy of the session service: the values that clients set, else those of the configuration. */
export function sessionPolicy(stored: Partial<SessionPolicy> | undefined, configuration: Configuration): SessionPolicy {
  return { timeout: configuration.sessionTimeout, enabled: true, ...stored }
}

/**
 * How many sessions there may be for a caller to log in, and how many of these may be the caller's own: who does not
 * manage users holds a quarter at most, and leaves an eighth to those who do.
 */
export function sessionShare({ privileges }: Pick<Caller, 'privileges'>, limit: number) {
  if (privileges.has('UserConfigPriv')) return { most: limit, mostOwn: limit }
  return { most: limit - Math.floor(limit / 8), mostOwn: Math.ceil(limit / 4) }
}

/**
 * The missing property of a password, in words that end "The password lacks …"; `undefined` when it meets the policy.
 *
 * @param stored the policy of the account service, as far as clients set it
 */
export function passwordLacks(
  password: string,
  stored: Partial<AccountPolicy> | undefined,
  configuration: Configuration
): string | undefined {
  const policy = accountPolicy(stored, configuration)
  const { maximumLength } = configuration.password
  if (password.length < policy.minPasswordLength) return `a length of at least ${policy.minPasswordLength} characters`
  if (password.length > maximumLength) return `a length of at most ${maximumLength} characters`
  const kinds = [/\p{Lu}/u, /\p{Ll}/u, /\p{Nd}/u, /[^\p{L}\p{Nd}]/u].filter((kind) => kind.test(password)).length
  return policy.complexity && kinds < 3
    ? 'three of: a capital letter, a small letter, a digit, another character'
    : undefined
}

/**
 * Why a user may not have a password; `undefined` when it meets the policy.
 *
 * @param user the name of the account
 * @param stored the policy of the account service, as far as clients set it
 */
export function passwordFault(
  password: string,
  user: string,
  stored: Partial<AccountPolicy> | undefined,
  configuration: Configuration
): Message | undefined {
  const related = ['#/Password']
  const lacks = passwordLacks(password, stored, configuration)
  if (lacks !== undefined) return { ...message('Mgmt.PasswordTooWeak', lacks), related }
  if (!accountPolicy(stored, configuration).refuseGuessable) return undefined
  if (containsName(password.toLowerCase(), user.toLowerCase())) {
    return { ...message('Mgmt.PasswordContainsUserName'), related }
  }
  return isCommonPassword(password) ? { ...message('Mgmt.PasswordTooCommon'), related } : undefined
}

/** Names as short as this one are parts of many words. */
const shortName = 2

function containsName(password: string, name: string): boolean {
  return name.length <= shortName ? password === name : password.includes(name)
}

/**
 * Refuses with 409 a change that leaves no administrator who can log in.
 *
 * @param after what is stored after the change
 */
export function keepAdministrator(before: State, after: State): void {
  const hasOne = (state: State) => state.keys('account').some((id) => administers(state, state.get('account', id)))
  if (hasOne(before) && !hasOne(after)) fail(409, 'Mgmt.LastAdministrator')
}

/** The state as it will be with another record. @param record absent on removal */
export function changedState<T extends keyof Tables>(state: State, table: T, key: string, record?: Tables[T]): State {
  const isIt = (other: keyof Tables, id: string) => other === table && id === key
  return {
    get: (other, id) => (isIt(other, id) ? (record as never) : state.get(other, id)),
    keys: (other) => (record === undefined ? state.keys(other).filter((id) => !isIt(other, id)) : state.keys(other))
  }
}

/** The owner of an account, and of its actions. */
export const accountOwner = ({ params, state }: Pick<Context<'ManagerAccountId'>, 'params' | 'state'>) =>
  state.get('account', params.ManagerAccountId) && params.ManagerAccountId

/** Whether what a caller has proved to be holds still: the account, or the settings of the directory, have not changed. */
export function isStill(state: State, { account: id, generation }: Pick<Caller, 'account' | 'generation'>): boolean {
  const kind = directoryOf(id)
  if (kind === undefined) {
    const account = state.get('account', id)
    return canLogIn(state, account) && account?.generation === generation
  }
  const directory = state.get('directory', kind)
  return directory?.enabled === true && directory.generation === generation
}

/** The name and role of whom a session is. */
export function sessionUser(state: State, { user, directory }: Pick<Session, 'user' | 'directory'>) {
  if (directory !== undefined) return { name: directory.user, role: directory.role }
  return state.get('account', user) ?? { name: user, role: 'ReadOnly' }
}

/** The writes that remove an account with its sessions, its certificate and its second factor. */
export function removeAccount(state: State, id: string): Writes {
  const session = Object.fromEntries(sessionsOf(state, id).map((each) => [each, null]))
  return { account: { [id]: null }, ...forgetSecondFactor(id), userCertificate: { [id]: null }, session }
}

/**
 * The writes that end the sessions of an account whose password, name or rights have changed.
 *
 * @param generation the new one of the account; absent: its sessions go on
 * @param staying the session that goes on, that of the client which changed the account
 */
export function endSessions(state: State, id: string, generation: string | undefined, staying: string | undefined) {
  const sessions = generation === undefined ? [] : sessionsOf(state, id)
  const after = (session: string) => (session === staying ? { generation } : null)
  return { session: Object.fromEntries(sessions.map((each) => [each, after(each)])) } satisfies Writes
}

/** The ids of an account's sessions. */
function sessionsOf(state: State, account: string): string[] {
  return state.keys('session').filter((id) => state.get('session', id)?.user === account)
}

/** @throws MessageError 409 if an account has a user name already */
export function refuseTaken(state: State, user: string): void {
  if (accountNamed(state, user) !== undefined) {
    fail(409, 'Base.ResourceAlreadyExists', 'ManagerAccount', 'UserName', user)
  }
}

/** The id of the account that has a user name now. */
export function accountNamed(state: State, user: string): string | undefined {
  const has = (id: string) => state.get('account', id)?.name === user
  // It is the name, unless an account was renamed.
  return has(user) ? user : state.keys('account').find(has)
}

/** An id for a new account: the name of its user, unless an account that was renamed has that still. */
export function accountIdFor(state: State, user: string): string {
  const taken = (id: string) => state.get('account', id) !== undefined
  let id = user
  for (let number = 2; taken(id); number += 1) id = `${user}-${number}`
  return id
}
