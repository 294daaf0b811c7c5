import {
  accountPolicy,
  accountTypes,
  changeDirectories,
  changePolicy,
  directorySchema,
  ownPolicyProperties,
  policyProperties,
  secondFactorRoles,
  showDirectory,
  timeBasedOneTimePassword,
  timeStep
} from '#data/accounts'
import { clientCertificate, showClientCertificate } from '#data/certificates'
import { actions, child, oem, reference, resource, status } from '#data/resource'
import { changed, type Get, link, list, object, type Patch } from '#runtime/contract'
import { body as keytab } from './AccountService/Actions/Oem/Vendor/VendorAccountService.ImportKerberosKeytab.ts'
import { body as directory } from './AccountService/Actions/Oem/Vendor/VendorAccountService.TestDirectory.ts'

export const schema = resource('AccountService.v1_17_0', 'Accounts, roles and the rules for logins', {
  ...policyProperties,
  Accounts: child('Accounts'),
  ActiveDirectory: directorySchema,
  LDAP: directorySchema,
  MaxPasswordLength: { type: 'integer', readonly: true },
  MultiFactorAuth: object({
    ClientCertificate: clientCertificate,
    TimeBasedOneTimePassword: timeBasedOneTimePassword
  }),
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
    ...ownPolicyProperties,
    MinPasswordLength: { type: 'integer', readonly: true },
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
        SecondFactorRoles: secondFactorRoles(state, policy),
        Links: { UserCertificateMapping: link(`${uri}/UserCertificateMapping`) },
        KerberosKeytabImportedTime: state.get('kerberos', 'keytab')?.importedAt ?? null
      }
    }
  }
}

export const PATCH: Patch<typeof schema> = (context) => {
  const { body } = context
  return changed({ accountService: { settings: changePolicy(context, body) }, ...changeDirectories(context, body) })
}
