import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/EthernetInterfaces.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Managers/1/EthernetInterfaces'

t.test('a manager has its network ports', async (t) => {
  t.same(
    GET(context({ uri, params: { ManagerId: '1' } })).Members,
    ['1'].map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
})

t.test('a missing parent is 404', async (t) => {
  for (const params of [{ ManagerId: '2' }, { ManagerId: 'constructor' }])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
