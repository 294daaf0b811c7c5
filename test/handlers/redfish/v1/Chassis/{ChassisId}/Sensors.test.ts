import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Sensors.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Chassis/1/Sensors'

t.test(
  'everything that is measured in a chassis is there, by its number, and the sums of the power supplies',
  async (t) => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 21, 22, 23, 24, 25, 26, 31, 32, 41, 42, 43, 'TotalPower', 'TotalEnergy']
    t.same(
      GET(context({ uri, params: { ChassisId: '1' } })).Members,
      ids.map((id) => ({ '@odata.id': `${uri}/${id}/` }))
    )
    const enclosure = GET(context({ uri, params: { ChassisId: 'enclosurechassis' } })).Members
    t.same(enclosure?.length, 3, 'without power supplies there are no sums')
    t.same(await refusal(() => GET(context({ params: { ChassisId: '2' } }))), missing)
  }
)

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
