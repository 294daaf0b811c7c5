import t from 'tap'
import { GET as get, PATCH, privileges, schema } from '#handlers/redfish/v1/AccountService.ts'
import { completed, context, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/AccountService'

t.test('the policy is the configured one until a client sets it', async (t) => {
  t.match(GET(context({ uri })), {
    AccountLockoutThreshold: 5,
    AccountLockoutDuration: 60,
    AccountLockoutCounterResetAfter: 60,
    MinPasswordLength: 8,
    MaxPasswordLength: 64,
    Oem: { Vendor: { EnforcePasswordComplexity: false, RefuseGuessablePasswords: true } }
  })
  const tables = { accountService: { settings: { minPasswordLength: 12, complexity: true } } }
  t.match(GET(context({ uri, tables })), {
    AccountLockoutThreshold: 5,
    MinPasswordLength: 12,
    Oem: { Vendor: { EnforcePasswordComplexity: true } }
  })
})

t.test('a keytab is never shown, only when it was imported', async (t) => {
  t.equal(GET(context({ uri })).Oem?.Vendor?.KerberosKeytabImportedTime, null)
  const keytab = { keytab: 'sealed', importedAt: '2025-06-01T12:00:00.000Z' }
  const shown = GET(context({ uri, tables: { kerberos: { keytab } } }))
  t.equal(shown.Oem?.Vendor?.KerberosKeytabImportedTime, keytab.importedAt)
  t.notMatch(JSON.stringify(shown), /sealed/)
})

t.test('accounts, roles and the privilege map are linked', async (t) => {
  t.match(GET(context({ uri })), {
    Accounts: { '@odata.id': `${uri}/Accounts/` },
    Roles: { '@odata.id': `${uri}/Roles/` },
    PrivilegeMap: { '@odata.id': `${uri}/PrivilegeMap/` }
  })
})

t.test('a PATCH stores the properties that it names and no others', async (t) => {
  const Vendor = { EnforcePasswordComplexity: true, RefuseGuessablePasswords: false }
  const body = { AccountLockoutThreshold: 3, Oem: { Vendor } }
  const { status, writes } = await PATCH(context({ body }))
  t.equal(status, 200)
  t.same(writes, {
    accountService: {
      settings: {
        lockoutThreshold: 3,
        complexity: true,
        lockoutDuration: undefined,
        lockoutCounterResetAfter: undefined,
        minPasswordLength: undefined,
        refuseGuessable: false
      }
    }
  })
})

t.test('null switches the lock-out off', async (t) => {
  const { writes } = await PATCH(context({ body: { AccountLockoutThreshold: null, AccountLockoutDuration: null } }))
  t.match(writes, { accountService: { settings: { lockoutThreshold: 0, lockoutDuration: 0 } } })
})

t.test('failures are not remembered for longer than the lock-out lasts', async (t) => {
  const messages = [['Base.PropertyValueConflict', 'AccountLockoutCounterResetAfter', 'AccountLockoutDuration']]
  const longer = context({ body: { AccountLockoutCounterResetAfter: 61 } })
  t.same(await refusal(() => PATCH(longer)), { status: 400, messages })
  t.same(await refusal(() => PATCH(context({ body: { AccountLockoutDuration: 59 } }))), { status: 400, messages })
  const both = await PATCH(context({ body: { AccountLockoutDuration: 30, AccountLockoutCounterResetAfter: 30 } }))
  t.match(both, { status: 200, writes: { accountService: { settings: { lockoutDuration: 30 } } } })
})

t.test('no password could have the least length that is greater than the greatest', async (t) => {
  t.same(await refusal(() => PATCH(context({ body: { MinPasswordLength: 65 } }))), {
    status: 400,
    messages: [['Base.PropertyValueOutOfRange', '65', 'MinPasswordLength']]
  })
  t.match(await PATCH(context({ body: { MinPasswordLength: 64 } })), { status: 200 })
})

t.test('reading takes LoginPriv, changing UserConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'UserConfigPriv' })
})

t.test('only an administrator turns the second factor off, or lets a role do without', async (t) => {
  const settings = { secondFactor: true, secondFactorRoles: ['Administrator', 'Operator'] }
  const tables = {
    accountService: { settings },
    role: { Users: { standard: ['Login', 'ConfigureUsers'] as const, vendor: [] } }
  }
  const caller = { user: 'ute', role: 'Users' }
  const asked = (Enabled: boolean) => ({ MultiFactorAuth: { TimeBasedOneTimePassword: { Enabled } } })
  const roles = (...SecondFactorRoles: string[]) => ({ Oem: { Vendor: { SecondFactorRoles } } })
  for (const body of [asked(false), roles('Operator', null as unknown as string), roles('Operator', 'ReadOnly')]) {
    const refused = await refusal(() => PATCH(context({ body, tables, caller })))
    t.match(refused, { status: 403, messages: [['Base.InsufficientPrivilege']] }, JSON.stringify(body))
    t.match(await PATCH(context({ body, tables })), { status: 200 })
  }
  for (const body of [asked(true), roles('Administrator', 'Operator', 'ReadOnly')])
    t.match(await PATCH(context({ body, tables, caller })), { status: 200 }, JSON.stringify(body))
  const off = { ...tables, accountService: { settings: { ...settings, secondFactor: false } } }
  t.match(await PATCH(context({ body: asked(false), tables: off, caller })), { status: 200 }, 'it is off')
})

const search = { SearchSettings: { BaseDistinguishedNames: ['dc=example,dc=net'] } }
const directory = { ServiceEnabled: true, ServiceAddresses: ['ldaps://ldap.example.net'], LDAPService: search }
const administers = { RemoteGroup: 'admins', LocalRole: 'Administrator' }

t.test('directories are as servers of their kind have it, and disabled, until a client sets them', async (t) => {
  const shown = GET(context({ uri }))
  t.equal(shown.LocalAccountAuth, 'Enabled')
  t.match(shown.LDAP, {
    AccountProviderType: 'LDAPService',
    Authentication: { AuthenticationType: 'UsernameAndPassword', Username: null, Password: null },
    LDAPService: {
      SearchSettings: { UsernameAttribute: 'uid', GroupsAttribute: 'memberOf', GroupNameAttribute: 'cn' }
    },
    ServiceEnabled: false
  })
  t.match(shown.ActiveDirectory, {
    AccountProviderType: 'ActiveDirectoryService',
    LDAPService: { SearchSettings: { UsernameAttribute: 'sAMAccountName' } }
  })
})

t.test('a PATCH of a directory keeps what it does not name, and seals the password', async (t) => {
  const before = {
    enabled: true,
    addresses: ['a', 'b'],
    bases: ['dc=a'],
    bindName: 'cn=a',
    bindPassword: 'sealed',
    generation: '1'
  }
  const tables = { directory: { LDAP: before } }
  const RemoteRoleMapping = [administers, { RemoteUser: 'bob', LocalRole: 'ReadOnly' }]
  const body = { LDAP: { ServiceAddresses: ['c', 'd'], RemoteRoleMapping, Authentication: { Password: 'secret' } } }
  const { writes } = await PATCH(context({ body, tables }))
  t.match(writes?.directory?.LDAP, {
    ...before,
    addresses: ['c', 'd'],
    bindPassword: 'sealed secret',
    mappings: [
      { group: 'admins', role: 'Administrator' },
      { user: 'bob', role: 'ReadOnly' }
    ],
    generation: /^(?!1$)/
  })
  t.equal(writes?.directory?.ActiveDirectory, undefined)
  const shown = GET(context({ tables: { directory: { LDAP: { ...before, bindPassword: 'sealed' } } } }))
  t.notMatch(JSON.stringify(shown), /sealed/)
  const mapped = {
    ...before,
    mappings: [
      { user: 'bob', role: 'ReadOnly' },
      { group: 'a', role: 'Operator' }
    ]
  }
  const second = { LDAP: { RemoteRoleMapping: [{}, null] as never } }
  const { writes: after } = await PATCH(context({ body: second, tables: { directory: { LDAP: mapped } } }))
  t.same(after?.directory?.LDAP?.mappings, [{ user: 'bob', role: 'ReadOnly' }], '{} keeps, and null removes')
})

t.test('settings of a directory that cannot be are refused', async (t) => {
  const conflict = (...args: string[]) => ({ status: 400, messages: [['Base.PropertyValueConflict', ...args]] })
  const missing = (name: string) => ({ status: 400, messages: [['Base.PropertyMissing', name]] })
  for (const [LDAP, expected] of [
    [{ ServiceEnabled: true }, conflict('ServiceEnabled', 'ServiceAddresses')],
    [{ ...directory, LDAPService: {} }, conflict('ServiceEnabled', 'BaseDistinguishedNames')],
    [{ Authentication: { Username: 'cn=a' } }, missing('Password')],
    [{ Authentication: { Password: 'a' } }, missing('Username')],
    [{ RemoteRoleMapping: [{ RemoteUser: 'bob' }] }, missing('LocalRole')],
    [{ RemoteRoleMapping: [{ LocalRole: 'ReadOnly' }] }, missing('RemoteGroup')],
    [
      { RemoteRoleMapping: [{ LocalRole: 'ReadOnly', RemoteUser: 'a', RemoteGroup: 'b' }] },
      conflict('RemoteGroup', 'RemoteUser')
    ],
    [
      { RemoteRoleMapping: [{ LocalRole: 'Root', RemoteUser: 'a' }] },
      { status: 400, messages: [['Base.PropertyValueNotInList', 'Root', 'LocalRole']] }
    ],
    ...['http://a', 'ldap://', 'ldaps://a:0', 'ldaps://a/b', 'a b', '1.2.3'].map((address) => [
      { ServiceAddresses: [address] },
      { status: 400, messages: [['Base.PropertyValueFormatError', address, 'ServiceAddresses']] }
    ])
  ] as const) {
    t.same(await refusal(() => PATCH(context({ body: { LDAP } as never }))), expected, JSON.stringify(LDAP))
  }
})

t.test("403 for mapping a role beyond the caller's privileges, or changing a directory that maps one", async (t) => {
  const caller = { privileges: new Set(['LoginPriv', 'UserConfigPriv'] as const) }
  const mapping = { LDAP: { RemoteRoleMapping: [administers] } }
  t.match(await refusal(() => PATCH(context({ body: mapping, caller }))), { status: 403 })
  const mapped = { directory: { LDAP: { mappings: [{ group: 'admins', role: 'Administrator' }] } } }
  const address = { LDAP: { ServiceAddresses: ['ldaps://mine.example.net'] } }
  t.match(await refusal(() => PATCH(context({ body: address, caller, tables: mapped }))), { status: 403 })
  t.match(await PATCH(context({ body: address, caller })), { status: 200 })
})

t.test('local accounts are disabled only where a directory has an administrator', async (t) => {
  const without = (body: object, LDAP: object = {}) =>
    refusal(() => PATCH(context({ body: body as never, tables: { directory: { LDAP } } })))
  const conflict = { status: 400, messages: [['Base.PropertyValueConflict', 'LocalAccountAuth', 'ServiceEnabled']] }
  const LocalAccountAuth = 'Disabled'
  t.same(await without({ LocalAccountAuth }), conflict)
  t.same(await without({ LocalAccountAuth, LDAP: directory }), { status: 409, messages: [['Mgmt.LastAdministrator']] })
  const body = { LocalAccountAuth, LDAP: { ...directory, RemoteRoleMapping: [administers] } } as const
  const { writes } = await PATCH(context({ body }))
  t.match(writes, {
    accountService: { settings: { localAccounts: 'Disabled' } },
    directory: { LDAP: { enabled: true } }
  })
  const tables = { accountService: { settings: { localAccounts: 'Disabled' } as const } }
  const disabling = context({ body: { LDAP: { ServiceEnabled: false } }, tables })
  t.same(await refusal(() => PATCH(disabling)), conflict)
})

t.test('without support for directories, GET omits their settings and PATCH of them is 400', async (t) => {
  const shown = GET(context({ asksDirectories: false }))
  t.notOk('LDAP' in shown || 'ActiveDirectory' in shown)
  for (const kind of ['LDAP', 'ActiveDirectory'] as const) {
    const patch = context({ body: { [kind]: directory }, asksDirectories: false })
    t.same(await refusal(() => PATCH(patch)), { status: 400, messages: [['Base.PropertyUnknown', kind]] })
  }
})
