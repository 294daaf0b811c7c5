import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}/Actions/ManagerAccount.ClearSecretKey.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerAccountId: 'ann' }
const account = { ann: { name: 'ann' } }
const writes = {
  secondFactor: { ann: { key: '', pending: '', recoveryCodes: [] } },
  oneTimeCode: { ann: null }
}

t.test('a key goes with its recovery codes, and what the account may bypass stays', async (t) => {
  const secondFactor = { ann: { key: 'sealed', bypass: ['All'] as const } }
  const outcome = await POST(context({ params, tables: { account, secondFactor } }))
  t.same(outcome.writes, writes)
  t.match(outcome.events, [{ message: { key: 'MgmtEvents.SecretKeyCleared', args: ['ann', 'admin'] } }])
})

t.test('clearing an account without a key sends no event; an unknown account is 404', async (t) => {
  t.match(await POST(context({ params, tables: { account } })), { writes, events: [] })
  t.same(await refusal(() => POST(context({ params }))), missing)
})

t.test('users clear their own key, and who manages users that of others', async (t) => {
  t.same(privileges, { POST: ['UserConfigPriv', 'ConfigureSelf'] })
})
