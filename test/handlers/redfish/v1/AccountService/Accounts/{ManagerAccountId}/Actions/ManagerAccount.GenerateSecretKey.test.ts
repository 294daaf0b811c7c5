import t from 'tap'
import {
  owner,
  POST
} from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}/Actions/ManagerAccount.GenerateSecretKey.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerAccountId: 'ann' }
const caller = { user: 'ann', role: 'ReadOnly' }
const tables = { account: { ann: { name: 'ann' } }, secondFactor: { ann: { key: 'in use' } } }

t.test('a new key waits, sealed, for its first code, and is shown as text and as an address', async (t) => {
  const outcome = await POST(context({ params, caller, tables }))
  t.match(outcome.writes, { secondFactor: { ann: { pending: `sealed SHA1 ${'ab'.repeat(20)}` } } })
  const SecretKey = 'VOV2XK5LVOV2XK5LVOV2XK5LVOV2XK5L'
  t.match(outcome.result, { SecretKey })
  const { KeyURI } = (outcome.result as { Oem: { Vendor: { KeyURI: string } } }).Oem.Vendor
  t.match(KeyURI, /^otpauth:\/\/totp\/[\w.-]+:ann\?secret=VOV2XK5L/)
  t.match(KeyURI, /&algorithm=SHA1&digits=6&period=30$/)
})

t.test('the key of a stronger hash is as long as that', async (t) => {
  const secondFactor = { ...context().configuration.secondFactor, algorithm: 'SHA256' as const }
  const outcome = await POST(context({ params, caller, tables, configuration: { secondFactor } }))
  t.match(outcome.writes, { secondFactor: { ann: { pending: `sealed SHA256 ${'ab'.repeat(32)}` } } })
})

t.test('users generate only their own key: 403 for another account, 404 for an unknown one', async (t) => {
  const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }
  t.same(await refusal(() => POST(context({ params, tables }))), forbidden, 'nor to an administrator')
  t.equal(owner(context({ params, caller, tables })), 'ann')
  t.same(await refusal(() => POST(context({ params: { ManagerAccountId: 'eve' }, tables }))), missing)
})
