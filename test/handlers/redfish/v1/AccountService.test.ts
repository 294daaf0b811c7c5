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
