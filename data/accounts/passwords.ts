import { parseTime } from '#runtime/base/duration.ts'
import { type Context, fail, MessageError } from '#runtime/contract'
import { passwordFault } from './accounts.ts'
import { accountPolicy } from './policy.ts'
import type { Account } from './records.ts'

const day = 86_400_000

/**
 * When a password that is set now expires, in milliseconds since 1970; 0: never; undefined where the machine keeps
 * passwords and lets them expire.
 *
 * @param wanted by the client, in ISO 8601; null: never; absent: as the policy has it (DSP0268, PasswordExpiration)
 * @throws MessageError 400 PropertyNotWritable where the machine keeps passwords
 */
export function passwordExpiry(
  wanted: string | null | undefined,
  { state, configuration, credentials, now }: Pick<Context, 'state' | 'configuration' | 'credentials' | 'now'>
): number | undefined {
  if (!credentials.keepsPasswords) {
    return wanted === undefined ? undefined : fail(400, 'Base.PropertyNotWritable', 'PasswordExpiration')
  }
  if (typeof wanted === 'string') return parseTime(wanted) ?? 0
  const { passwordExpirationDays: days } = accountPolicy(state.get('accountService', 'settings'), configuration)
  return wanted === null || days === 0 ? 0 : now().getTime() + days * day
}

/** Whether a password has expired. @param now the time in milliseconds since 1970 */
export function isExpired({ passwordExpiresAt = 0 }: Pick<Account, 'passwordExpiresAt'>, now: number): boolean {
  return passwordExpiresAt > 0 && passwordExpiresAt <= now
}

/** Whether a password has to be changed before anything else (DSP0266 13.2.6). The clock is read only if it may expire. */
export function mustChangePassword(account: Account, now: () => Date): boolean {
  return account.passwordChangeRequired || (!!account.passwordExpiresAt && isExpired(account, now().getTime()))
}

/**
 * The members of an account that another password, or another expiry, replaces.
 *
 * @param user the name that the account will have
 * @throws MessageError 400 for a password that the account may not get, and where the machine keeps passwords
 */
export async function changedPassword(
  context: Pick<Context, 'state' | 'configuration' | 'credentials' | 'now'>,
  account: Account,
  { Password: password, PasswordExpiration: expiration }: PasswordChange,
  user: string
): Promise<Partial<Account>> {
  const { credentials } = context
  if (password === null) fail(400, 'Base.PropertyValueError', 'Password')
  const former = password === undefined ? undefined : await refuseFormer(context, account, password, user)
  if (password === undefined && expiration === undefined) return {}
  const passwordExpiresAt = passwordExpiry(expiration, context)
  return {
    ...(passwordExpiresAt !== undefined && { passwordExpiresAt }),
    ...(password !== undefined && { password: await credentials.hash(password) }),
    ...(former !== undefined && { formerPasswords: former })
  }
}

/** The properties of an account that a client writes for its password. */
interface PasswordChange {
  readonly Password?: string | null | undefined
  readonly PasswordExpiration?: string | null | undefined
}

/**
 * Refuses a password that an account may not get: one that the policy does not allow, or that it had before.
 *
 * @param user the name that the account will have
 * @returns the hashes of former passwords to store with the new one; undefined where the machine keeps passwords
 * @throws MessageError 400
 */
async function refuseFormer(
  { state, configuration, credentials, now }: Pick<Context, 'state' | 'configuration' | 'credentials' | 'now'>,
  account: Account,
  password: string,
  user: string
): Promise<readonly string[] | undefined> {
  const stored = state.get('accountService', 'settings')
  const fault = passwordFault(password, user, stored, configuration)
  if (fault !== undefined) throw new MessageError(400, [fault])
  const { passwordHistory } = accountPolicy(stored, configuration)
  const kept = credentials.keepsPasswords ? passwordHistory : 0
  const former = formerPasswords(account, Math.max(kept, mustChangePassword(account, now) ? 1 : 0))
  for (const hash of former) {
    if (!(await credentials.matches(password, hash))) continue
    const lacks = former.length === 1 ? 'the present one' : `the last ${former.length}`
    fail(400, 'Mgmt.PasswordTooWeak', `a difference from ${lacks}`)
  }
  return credentials.keepsPasswords ? former.slice(0, Math.max(kept - 1, 0)) : undefined
}

/** The present password and those before it, the newest first: hashes. @param most how many */
function formerPasswords(account: Account, most: number): readonly string[] {
  return [account.password, ...(account.formerPasswords ?? [])].slice(0, most)
}
