import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/EventService/SSE.ts'
import { context } from '#test/handlers/context.ts'

t.test('it is the stream of events, for who may log in', async (t) => {
  t.same(GET(context()), { stream: 'events' })
  t.same(privileges, { GET: 'LoginPriv' })
})
