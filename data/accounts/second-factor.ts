import type { Configuration } from '#data/configuration'
import {
  type Context,
  fail,
  forbidden,
  list,
  mergeArray,
  notFound,
  object,
  type State,
  table,
  type Writes
} from '#runtime/contract'
import { accountPolicy } from './policy.ts'
import type { Account, FactorKind } from './records.ts'
import { requireAdministrator } from './roles.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By account id: what its user proves beside a password. */
    secondFactor: SecondFactor
    /** By account id: the time step of the last one-time code that a login or a check has used. */
    oneTimeCode: { step: number }
  }
}

table('secondFactor', { survives: ['restart', 'restStateReset'], of: 'users' })
// A login that uses a code is possible, as others are, while the disk refuses to store anything.
table('oneTimeCode', { survives: ['restart', 'restStateReset'], of: 'users', waiting: 'all but removals' })

interface SecondFactor {
  /** The key of one-time codes, sealed; absent or empty: none. */
  key?: string
  /** A key, sealed, that takes the place of the other once its user has shown a code of it. */
  pending?: string
  /** The SHA-256 of each recovery code that is left, hex. */
  recoveryCodes?: readonly string[]
  /** The factors that this account does not need (DSP0268, MFABypass). */
  bypass?: readonly BypassType[]
}

const bypassTypes = ['All', 'TimeBasedOneTimePassword'] as const

type BypassType = (typeof bypassTypes)[number]

/** `MFABypass` of an account. */
export const bypass = object({
  BypassTypes: { ...list({ type: 'string', enum: bypassTypes }), maxItems: bypassTypes.length, readonly: false }
})

/**
 * The records of an account after a PATCH of its `MFABypass`. Only an administrator exempts an account.
 *
 * @throws MessageError 403
 */
export function changeBypass(
  { state, caller }: Pick<Context, 'state' | 'caller'>,
  id: string,
  patch: readonly BypassType[] | undefined
): Writes {
  if (patch === undefined) return {}
  const before = state.get('secondFactor', id)?.bypass ?? []
  const bypass = mergeArray(before, patch)
  if (bypass.some((each) => !before.includes(each))) requireAdministrator(caller)
  return { secondFactor: { [id]: { bypass } } }
}

/** Seconds for which a code is one (RFC 6238, section 5.2). */
export const timeStep = 30

/**
 * The account in the path, which has to be the caller's.
 *
 * @throws MessageError 404, or 403 for another one
 */
export function ownAccount({ params, caller, state }: Context<'ManagerAccountId', unknown>): Account {
  const account = state.get('account', params.ManagerAccountId) ?? notFound()
  return caller.account === params.ManagerAccountId ? account : forbidden()
}

/** The factor that a login has used beside the password. */
export type UsedFactor =
  | { readonly kind: FactorKind & 'TimeBasedOneTimePassword'; readonly step: number }
  | { readonly kind: FactorKind & 'RecoveryCode'; readonly digest: string }

/** How an account proves more than its password. A reader of it is as current as the state that it is given. */
export function secondFactorOf(state: State, configuration: Configuration, id: string, role: string) {
  const { key = '', bypass = [] } = state.get('secondFactor', id) ?? {}
  const { secondFactor, secondFactorRoles } = accountPolicy(state.get('accountService', 'settings'), configuration)
  // A user of a directory has no account here, and so no key.
  const isAsked = secondFactor && bypass.length === 0 && state.get('account', id) !== undefined
  return {
    /** Whether a password alone is no login. */
    codeNeeded: isAsked && key !== '',
    /** Whether the user has to make a key before anything else. */
    keyNeeded: isAsked && key === '' && (secondFactorRoles?.includes(role) ?? true)
  }
}

/**
 * The records of a login or check that has used a code, which nothing can use again.
 *
 * @throws MessageError 401 when another one has used it meanwhile
 */
export function useUp(state: State, id: string, used: UsedFactor | undefined): Writes {
  if (used?.kind === 'TimeBasedOneTimePassword') {
    if (used.step <= (state.get('oneTimeCode', id)?.step ?? 0)) fail(401, 'Mgmt.UnauthorizedLoginAttempt')
    return { oneTimeCode: { [id]: { step: used.step } } }
  }
  if (used?.kind !== 'RecoveryCode') return {}
  const { recoveryCodes = [] } = state.get('secondFactor', id) ?? {}
  if (!recoveryCodes.includes(used.digest)) fail(401, 'Mgmt.UnauthorizedLoginAttempt')
  return { secondFactor: { [id]: { recoveryCodes: recoveryCodes.filter((each) => each !== used.digest) } } }
}

/** The records of an account without a second factor. Its `bypass` stays. */
export function forgetKey(id: string): Writes {
  return { secondFactor: { [id]: { key: '', pending: '', recoveryCodes: [] } }, oneTimeCode: { [id]: null } }
}

/** The records of a deleted or a new account: no account inherits a second factor. */
export function forgetSecondFactor(id: string): Writes {
  return { secondFactor: { [id]: null }, oneTimeCode: { [id]: null } }
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes, as hex digits, in base32 without padding (RFC 4648, section 6). */
export function base32(digits: string): string {
  const bits = [...digits].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32Digits[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** A recovery code of 80 random bits, in groups that are easy to read: `abcd-efgh-2345-wxyz`. @param digits 20, hex */
export function recoveryCode(digits: string): string {
  return (base32(digits).toLowerCase().match(/.{4}/g) ?? []).join('-')
}

/** The form in which entered codes are compared. */
export function typedCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase()
}

/**
 * The address of a key, as authenticators read it from a QR code (Key Uri Format of Google Authenticator).
 *
 * @param issuer the controller, by which its codes are told from those of others
 * @param secret base32
 */
export function keyUri(issuer: string, user: string, secret: string, algorithm: string): string {
  const [of, name] = [encodeURIComponent(issuer), encodeURIComponent(user)]
  return `otpauth://totp/${of}:${name}?secret=${secret}&issuer=${of}&algorithm=${algorithm}&digits=6&period=${timeStep}`
}
