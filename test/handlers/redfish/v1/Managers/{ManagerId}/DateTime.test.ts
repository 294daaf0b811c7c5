import t from 'tap'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/DateTime.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }
const tables = { clock: { 1: { timeServers: ['192.0.2.7', 'time.example.net'] } } }

t.test('the controller shows its time, in UTC unless another zone is set', async (t) => {
  t.match(GET(context({ params, now: '2025-02-03T04:05:06Z' })), {
    DateTime: '2025-02-03T04:05:06.000Z',
    DateTimeLocalOffset: '+00:00',
    StaticNTPServers: []
  })
  const elsewhere = { clock: { 1: { localOffset: '+09:00' } } }
  t.match(GET(context({ params, tables: elsewhere, now: '2025-02-03T20:05:06Z' })), {
    DateTime: '2025-02-04T05:05:06.000+09:00',
    DateTimeLocalOffset: '+09:00'
  })
  t.same(GET(context({ params, tables })).StaticNTPServers, ['192.0.2.7', 'time.example.net'])
})

t.test('time servers are set, kept and removed as a PATCH of an array does', async (t) => {
  const StaticNTPServers = [null, {}, 'new.example.net'] as unknown as string[]
  t.same((await PATCH(context({ params, tables, body: { StaticNTPServers } }))).writes, {
    clock: { 1: { timeServers: ['time.example.net', 'new.example.net'] } }
  })
})

t.test('there is no other manager', async (t) => {
  const other = { ManagerId: '2' }
  t.same(await refusal(() => GET(context({ params: other }))), missing)
  t.same(await refusal(() => PATCH(context({ params: other, body: { StaticNTPServers: [] } }))), missing)
})

t.test('setting it up takes the privilege for the controller', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
