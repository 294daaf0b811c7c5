import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/AccountService/Actions/Oem/Vendor/VendorAccountService.TestDirectory.ts'
import { context, refusal } from '#test/handlers/context.ts'

const body = { Directory: 'LDAP' } as const
const complete = { addresses: ['ldaps://ldap.example.net'], bases: ['dc=example,dc=net'] }

t.test('a directory is asked by its stored settings, also while logins do not ask it', async (t) => {
  const tables = { directory: { LDAP: { ...complete, enabled: false } } }
  const outcome = await POST(context({ body, tables: tables as never }))
  t.equal(outcome.status, 200)
  t.match(outcome.commands, [{ kind: 'testDirectory', directory: 'LDAP' }])
  t.equal(outcome.writes, undefined)
})

t.test('what the settings lack is named', async (t) => {
  for (const [name, settings] of [
    ['ServiceAddresses', undefined],
    ['ServiceAddresses', { ...complete, addresses: [] }],
    ['BaseDistinguishedNames', { ...complete, bases: [] }]
  ] as const) {
    const tables = { directory: settings && { LDAP: settings } }
    const expected = { status: 400, messages: [['Base.PropertyMissing', name]] }
    t.same(await refusal(() => POST(context({ body, tables: tables as never }))), expected)
  }
})

t.test('where logins can ask no directory, there is nothing to test', async (t) => {
  const tables = { directory: { LDAP: complete } }
  const post = context({ body, tables: tables as never, asksDirectories: false })
  t.same(await refusal(() => POST(post)), { status: 404, messages: [] })
})

t.test('it takes UserConfigPriv', async (t) => {
  t.same(privileges, { POST: 'UserConfigPriv' })
})
