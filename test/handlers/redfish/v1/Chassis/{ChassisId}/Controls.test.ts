import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Controls.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a chassis has no controls, and one that is not there is missing', async (t) => {
  t.same(GET(context({ params: { ChassisId: '1' } })).Members, [])
  t.same(await refusal(() => GET(context({ params: { ChassisId: '2' } }))), missing)
  t.same(privileges, { GET: 'LoginPriv' })
})
