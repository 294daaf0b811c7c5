import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/PCIeDevices.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Chassis/1/PCIeDevices'

t.test('a chassis has its PCIe devices', async (t) => {
  t.same(
    GET(context({ uri, params: { ChassisId: '1' } })).Members,
    ['raid-3', 'nic-1', 'hba-1'].map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
})

t.test('a missing parent is 404', async (t) => {
  for (const params of [{ ChassisId: '2' }, { ChassisId: 'constructor' }])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
