import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Controllers.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/Storage/slot3/Controllers'

t.test('a storage has one controller', async (t) => {
  const params = { ComputerSystemId: '1', StorageId: 'slot3' }
  t.same(GET(context({ uri, params })).Members, [{ '@odata.id': `${uri}/1/` }])
})

t.test('a missing parent is 404', async (t) => {
  for (const params of [
    { ComputerSystemId: '1', StorageId: 'slot4' },
    { ComputerSystemId: '2', StorageId: 'slot3' }
  ]) {
    t.same(await refusal(() => GET(context({ params }))), missing)
  }
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
