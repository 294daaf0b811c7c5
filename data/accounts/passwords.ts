import { parseTime } from '#runtime/base/duration.ts'
import { type Context, fail } from '#runtime/contract'
import { accountPolicy } from './accounts.ts'
import type { Account } from './records.ts'

/** The most former passwords that are remembered: each costs a new password a slow hash. */
export const mostRemembered = 10

const day = 86_400_000

/**
 * When a password that is set now expires, in milliseconds since 1970; 0: never, undefined: that is the machine's affair.
 *
 * @param wanted by the client, in ISO 8601; null: never; absent: as the policy has it (DSP0268, PasswordExpiration)
 * @throws MessageError 400 where it is the machine's
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

/** The present password and those before it, the newest first: hashes. @param most how many */
export function formerPasswords(account: Account, most: number): readonly string[] {
  return [account.password, ...(account.formerPasswords ?? [])].slice(0, most)
}
