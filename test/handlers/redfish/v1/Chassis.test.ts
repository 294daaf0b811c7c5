import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis.ts'
import { context } from '#test/handlers/context.ts'

t.test('the collection names the rack server and its enclosure', async (t) => {
  t.same(GET(context({ uri: '/redfish/v1/Chassis' })).Members, [
    { '@odata.id': '/redfish/v1/Chassis/1/' },
    { '@odata.id': '/redfish/v1/Chassis/enclosurechassis/' }
  ])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
