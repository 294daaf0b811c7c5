import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems.ts'
import { context } from '#test/handlers/context.ts'

t.test('the collection names the system', async (t) => {
  t.same(GET(context({ uri: '/redfish/v1/Systems' })).Members, [{ '@odata.id': '/redfish/v1/Systems/1/' }])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
