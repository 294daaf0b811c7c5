import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/ResourceDirectory.ts'
import { context } from '#test/handlers/context.ts'

t.test('every resource is listed with its type and entity tag', async (t) => {
  const instances = [
    { '@odata.id': '/redfish/v1/Chassis/1/', '@odata.type': '#Chassis.v1_22_0.Chassis', ETag: 'W/"0123456789abcdef"' }
  ]
  t.same(GET(context({ instances: () => instances })).Instances, instances)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
