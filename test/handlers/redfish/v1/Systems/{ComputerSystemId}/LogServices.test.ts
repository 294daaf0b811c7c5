import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices'

t.test('there is one log', async (t) => {
  t.same(GET(context({ uri, params: { ComputerSystemId: '1' } })).Members, [{ '@odata.id': `${uri}/SystemLog/` }])
})

t.test('a missing parent is 404', async (t) => {
  t.same(await refusal(() => GET(context({ uri, params: { ComputerSystemId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
