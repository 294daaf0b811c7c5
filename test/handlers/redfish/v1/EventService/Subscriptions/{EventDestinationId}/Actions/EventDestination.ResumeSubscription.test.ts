import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/EventService/Subscriptions/{EventDestinationId}/Actions/EventDestination.ResumeSubscription.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { EventDestinationId: 'a' }

t.test('a suspended subscription receives events again', async (t) => {
  const tables = { subscription: { a: { suspended: true } } }
  const { status, writes } = await POST(context({ params, tables, body: {} }))
  t.same([status, writes], [200, { subscription: { a: { suspended: false } } }])
})

t.test('an unknown id is 404', async (t) => {
  t.same(await refusal(() => POST(context({ params, body: {} }))), missing)
})

t.test('it takes MgmtConfigPriv', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
