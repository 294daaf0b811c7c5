import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Controls.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test(
  'a chassis whose power can be limited has a control, others have none, and one that is not there is missing',
  async (t) => {
    const uri = '/redfish/v1/Chassis/1/Controls'
    t.same(GET(context({ uri, params: { ChassisId: '1' } })).Members, [{ '@odata.id': `${uri}/PowerLimit/` }])
    t.same(GET(context({ params: { ChassisId: 'enclosurechassis' } })).Members, [])
    t.same(await refusal(() => GET(context({ params: { ChassisId: '2' } }))), missing)
    t.same(privileges, { GET: 'LoginPriv' })
  }
)
