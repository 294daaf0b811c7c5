import { basicAuthModes, type Configuration } from '#data/configuration'
import { type Context, fail, list, mergeArray, object, type State } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { localAccountAuth } from './directory-resource.ts'
import type { AccountPolicy } from './records.ts'
import { requireAdministrator, roleIds, roleOf } from './roles.ts'

/**
 * The policy of the account service: the values that clients set, else those of the configuration. A null is a value that
 * the machine has not told yet.
 */
export function accountPolicy(stored: Partial<AccountPolicy> | undefined, configuration: Configuration): AccountPolicy {
  const { password, lockout } = configuration
  return {
    minPasswordLength: password.minimumLength,
    complexity: password.complexity,
    refuseGuessable: password.refuseGuessable,
    passwordHistory: password.history,
    passwordExpirationDays: password.expirationDays,
    lockoutThreshold: lockout.threshold,
    lockoutDuration: lockout.duration,
    lockoutCounterResetAfter: lockout.counterResetAfter,
    basicAuth: configuration.basicAuth,
    secondFactor: configuration.secondFactor.enabled,
    localAccounts: 'Enabled',
    ...Object.fromEntries(Object.entries(stored ?? {}).filter(([, value]) => value !== null))
  }
}

/** The roles whose accounts need a second factor: all, unless a client has named some. */
export function secondFactorRoles(state: State, { secondFactorRoles: named }: AccountPolicy): readonly string[] {
  return named ?? [...roleIds, ...state.keys('role')]
}

/** The most former passwords that are remembered: each costs a new password a slow hash. */
export const mostRemembered = 10

const seconds = { type: 'integer', minimum: 0, maximum: 86_400, readonly: false } as const

/** The policy among the properties of AccountService, and among its own (`Oem`). */
export const policyProperties = {
  AccountLockoutCounterResetAfter: seconds,
  AccountLockoutDuration: { ...seconds, nullable: true },
  AccountLockoutThreshold: { type: 'integer', minimum: 0, maximum: 100, nullable: true, readonly: false },
  EnforcePasswordHistoryCount: { type: 'integer', minimum: 0, maximum: mostRemembered, readonly: false },
  HTTPBasicAuth: { type: 'string', enum: basicAuthModes, readonly: false },
  LocalAccountAuth: localAccountAuth,
  MinPasswordLength: { type: 'integer', minimum: 1, readonly: false },
  PasswordExpirationDays: { type: 'integer', minimum: 1, maximum: 3650, nullable: true, readonly: false }
} as const

export const ownPolicyProperties = {
  EnforcePasswordComplexity: { type: 'boolean', readonly: false },
  RefuseGuessablePasswords: { type: 'boolean', readonly: false },
  SecondFactorRoles: { ...list({ type: 'string' }), maxItems: 64, readonly: false }
} as const

/** `MultiFactorAuth.TimeBasedOneTimePassword` of the account service. */
export const timeBasedOneTimePassword = object({
  Enabled: { type: 'boolean', readonly: false },
  TimeStepSeconds: { type: 'integer', readonly: true }
})

const patched = object({
  ...policyProperties,
  MultiFactorAuth: object({ TimeBasedOneTimePassword: timeBasedOneTimePassword }),
  Oem: object({ Vendor: object(ownPolicyProperties) })
})

/**
 * The policy that a PATCH of AccountService stores. `null` for the threshold or the duration of a lockout disables it, as
 * 0 does; passwords do not expire after `null` days. Only an administrator disables one-time codes, or lets a role do
 * without.
 *
 * @throws MessageError 400 for values that contradict each other; 403
 */
export function changePolicy(
  { state, configuration, credentials, caller }: Pick<Context, 'state' | 'configuration' | 'credentials' | 'caller'>,
  body: Writable<typeof patched>
): { [K in keyof AccountPolicy]: AccountPolicy[K] | undefined } {
  const {
    AccountLockoutCounterResetAfter: resetAfter,
    AccountLockoutDuration: duration,
    AccountLockoutThreshold: threshold,
    MinPasswordLength: length,
    PasswordExpirationDays: days
  } = body
  const before = accountPolicy(state.get('accountService', 'settings'), configuration)
  const own = body.Oem?.Vendor ?? {}
  const rolesBefore = secondFactorRoles(state, before)
  const roles = own.SecondFactorRoles && mergeArray(rolesBefore, own.SecondFactorRoles)
  const unknown = roles?.find((each) => roleOf(state, each) === undefined)
  if (unknown !== undefined) fail(400, 'Base.PropertyValueNotInList', unknown, 'SecondFactorRoles')
  const secondFactor = body.MultiFactorAuth?.TimeBasedOneTimePassword?.Enabled
  const turnsOff = before.secondFactor && secondFactor === false
  const exempts = roles && rolesBefore.some((each) => !roles.includes(each))
  if (turnsOff || exempts) requireAdministrator(caller)
  for (const each of ['EnforcePasswordHistoryCount', 'PasswordExpirationDays'] as const)
    if (body[each] !== undefined && !credentials.keepsPasswords) fail(400, 'Base.PropertyNotWritable', each)
  const lasting = (duration === null ? 0 : duration) ?? before.lockoutDuration
  // DSP0268: the counter is forgotten before the lockout it led to is over, or with it.
  if ((resetAfter ?? before.lockoutCounterResetAfter) > lasting && lasting > 0) {
    fail(400, 'Base.PropertyValueConflict', 'AccountLockoutCounterResetAfter', 'AccountLockoutDuration')
  }
  if (length !== undefined && length > configuration.password.maximumLength) {
    fail(400, 'Base.PropertyValueOutOfRange', String(length), 'MinPasswordLength')
  }
  return {
    lockoutCounterResetAfter: resetAfter,
    lockoutDuration: duration === null ? 0 : duration,
    lockoutThreshold: threshold === null ? 0 : threshold,
    minPasswordLength: length,
    passwordHistory: body.EnforcePasswordHistoryCount,
    passwordExpirationDays: days === null ? 0 : days,
    basicAuth: body.HTTPBasicAuth,
    localAccounts: body.LocalAccountAuth,
    complexity: own.EnforcePasswordComplexity,
    secondFactor,
    secondFactorRoles: roles,
    refuseGuessable: own.RefuseGuessablePasswords
  }
}
