import {
  accountPolicy,
  accountTypes,
  changeDirectories,
  directoryKinds,
  directorySchema,
  localAccountAuth,
  mostRemembered,
  requireAdministrator,
  roleIds,
  roleOf,
  showDirectory,
  timeBasedOneTimePassword,
  timeStep
} from '#data/accounts'
import { clientCertificate, showClientCertificate } from '#data/certificates'
import { basicAuthModes } from '#data/configuration'
import { actions, child, oem, reference, resource, status } from '#data/resource'
import { changed, fail, type Get, link, list, mergeArray, object, type Patch } from '#runtime/contract'
import { body as keytab } from './AccountService/Actions/Oem/Vendor/VendorAccountService.ImportKerberosKeytab.ts'
import { body as directory } from './AccountService/Actions/Oem/Vendor/VendorAccountService.TestDirectory.ts'

const seconds = { type: 'integer', minimum: 0, maximum: 86_400, readonly: false } as const

export const schema = resource('AccountService.v1_17_0', 'Accounts, roles and the rules for logins', {
  AccountLockoutCounterResetAfter: seconds,
  AccountLockoutDuration: { ...seconds, nullable: true },
  AccountLockoutThreshold: { type: 'integer', minimum: 0, maximum: 100, nullable: true, readonly: false },
  Accounts: child('Accounts'),
  EnforcePasswordHistoryCount: { type: 'integer', minimum: 0, maximum: mostRemembered, readonly: false },
  ActiveDirectory: directorySchema,
  HTTPBasicAuth: { type: 'string', enum: basicAuthModes, readonly: false },
  LDAP: directorySchema,
  LocalAccountAuth: localAccountAuth,
  MaxPasswordLength: { type: 'integer', readonly: true },
  MinPasswordLength: { type: 'integer', minimum: 1, readonly: false },
  MultiFactorAuth: object({
    ClientCertificate: clientCertificate,
    TimeBasedOneTimePassword: timeBasedOneTimePassword
  }),
  PasswordExpirationDays: { type: 'integer', minimum: 1, maximum: 3650, nullable: true, readonly: false },
  PrivilegeMap: child('PrivilegeMap'),
  Roles: child('Roles'),
  ServiceEnabled: { type: 'boolean', nullable: true, readonly: true },
  Status: status,
  SupportedAccountTypes: list({ type: 'string', enum: accountTypes }),
  Oem: oem('VendorAccountService.v1_0_0', {
    Actions: actions({
      'VendorAccountService.ImportKerberosKeytab': keytab,
      'VendorAccountService.TestDirectory': directory
    }),
    EnforcePasswordComplexity: { type: 'boolean', readonly: false },
    MinPasswordLength: { type: 'integer', readonly: true },
    RefuseGuessablePasswords: { type: 'boolean', readonly: false },
    SecondFactorRoles: { ...list({ type: 'string' }), maxItems: 64, readonly: false },
    Links: object({ UserCertificateMapping: reference }),
    KerberosKeytabImportedTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      readonly: true,
      description: 'When a Kerberos keytab was imported. No login uses it.'
    }
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'UserConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state, configuration, credentials, machine }) => {
  const policy = accountPolicy(state.get('accountService', 'settings'), configuration)
  return {
    Name: 'Account service',
    AccountLockoutCounterResetAfter: policy.lockoutCounterResetAfter,
    AccountLockoutDuration: policy.lockoutDuration,
    AccountLockoutThreshold: policy.lockoutThreshold,
    ...(credentials.keepsPasswords && {
      EnforcePasswordHistoryCount: policy.passwordHistory,
      PasswordExpirationDays: policy.passwordExpirationDays || null
    }),
    ...(credentials.asksDirectories && {
      ActiveDirectory: showDirectory(state, 'ActiveDirectory'),
      LDAP: showDirectory(state, 'LDAP')
    }),
    HTTPBasicAuth: policy.basicAuth,
    LocalAccountAuth: policy.localAccounts,
    MaxPasswordLength: configuration.password.maximumLength,
    MinPasswordLength: policy.minPasswordLength,
    MultiFactorAuth: {
      ClientCertificate: showClientCertificate(machine, state),
      TimeBasedOneTimePassword: { Enabled: policy.secondFactor, TimeStepSeconds: timeStep }
    },
    ServiceEnabled: true,
    SupportedAccountTypes: accountTypes,
    Oem: {
      Vendor: {
        EnforcePasswordComplexity: policy.complexity,
        MinPasswordLength: policy.minPasswordLength,
        RefuseGuessablePasswords: policy.refuseGuessable,
        SecondFactorRoles: policy.secondFactorRoles ?? [...roleIds, ...state.keys('role')],
        Links: { UserCertificateMapping: link(`${uri}/UserCertificateMapping`) },
        KerberosKeytabImportedTime: state.get('kerberos', 'keytab')?.importedAt ?? null
      }
    }
  }
}

/**
 * Nobody but an administrator turns codes off or lets a role do without.
 *
 * `null` for the threshold or the duration of a lock-out disables it, as 0 does; passwords do not expire after `null`
 * days.
 */
export const PATCH: Patch<typeof schema> = (context) => {
  const { body, state, configuration, credentials, caller } = context
  const {
    AccountLockoutCounterResetAfter: resetAfter,
    AccountLockoutDuration: duration,
    AccountLockoutThreshold: threshold,
    MinPasswordLength: length,
    PasswordExpirationDays: days
  } = body
  const before = accountPolicy(state.get('accountService', 'settings'), configuration)
  const wanted = body.Oem?.Vendor?.SecondFactorRoles
  const rolesBefore = before.secondFactorRoles ?? [...roleIds, ...state.keys('role')]
  const secondFactorRoles = wanted && mergeArray(rolesBefore, wanted)
  const policy = {
    lockoutCounterResetAfter: resetAfter,
    lockoutDuration: duration === null ? 0 : duration,
    lockoutThreshold: threshold === null ? 0 : threshold,
    minPasswordLength: length,
    passwordHistory: body.EnforcePasswordHistoryCount,
    passwordExpirationDays: days === null ? 0 : days,
    basicAuth: body.HTTPBasicAuth,
    localAccounts: body.LocalAccountAuth,
    complexity: body.Oem?.Vendor?.EnforcePasswordComplexity,
    secondFactor: body.MultiFactorAuth?.TimeBasedOneTimePassword?.Enabled,
    secondFactorRoles,
    refuseGuessable: body.Oem?.Vendor?.RefuseGuessablePasswords
  }
  const unknown = secondFactorRoles?.find((each) => roleOf(state, each) === undefined)
  if (unknown !== undefined) fail(400, 'Base.PropertyValueNotInList', unknown, 'SecondFactorRoles')
  const turnsOff = before.secondFactor && policy.secondFactor === false
  const exempts = secondFactorRoles && rolesBefore.some((each) => !secondFactorRoles.includes(each))
  if (turnsOff || exempts) requireAdministrator(caller)
  for (const each of ['EnforcePasswordHistoryCount', 'PasswordExpirationDays'] as const)
    if (body[each] !== undefined && !credentials.keepsPasswords) fail(400, 'Base.PropertyNotWritable', each)
  for (const each of directoryKinds)
    if (body[each] !== undefined && !credentials.asksDirectories) fail(400, 'Base.PropertyUnknown', each)
  const lasting = policy.lockoutDuration ?? before.lockoutDuration
  // DSP0268: the counter is forgotten before the lock-out it led to is over, or with it.
  if ((resetAfter ?? before.lockoutCounterResetAfter) > lasting && lasting > 0) {
    fail(400, 'Base.PropertyValueConflict', 'AccountLockoutCounterResetAfter', 'AccountLockoutDuration')
  }
  if (length !== undefined && length > configuration.password.maximumLength) {
    fail(400, 'Base.PropertyValueOutOfRange', String(length), 'MinPasswordLength')
  }
  return changed({ accountService: { settings: policy }, ...changeDirectories(context, body) })
}
