import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Managers/1/LogServices'

t.test('there are the log of events and the journal of the service', async (t) => {
  t.same(GET(context({ uri, params: { ManagerId: '1' } })).Members, [
    { '@odata.id': `${uri}/EventLog/` },
    { '@odata.id': `${uri}/Journal/` }
  ])
})

t.test('a missing parent is 404', async (t) => {
  t.same(await refusal(() => GET(context({ uri, params: { ManagerId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
