import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/ResourceDirectory.ts'
import { context } from '#test/handlers/context.ts'

const documents = {
  'schemas/Chassis.v1_22_0.json': '',
  'schemas/ChassisCollection.json': '',
  'schemas/ComputerSystem.v1_22_0.json': ''
}
const { Instances = [] } = GET(context({ documents }))

t.test('what clients start from is listed with its type', async (t) => {
  for (const [path, type] of [
    ['Chassis', '#ChassisCollection.ChassisCollection'],
    ['Chassis/1', '#Chassis.v1_22_0.Chassis'],
    ['Chassis/enclosurechassis', '#Chassis.v1_22_0.Chassis'],
    ['Systems/1', '#ComputerSystem.v1_22_0.ComputerSystem']
  ]) {
    t.same(
      Instances.filter((each) => each['@odata.id'] === `/redfish/v1/${path}/`).map((each) => each['@odata.type']),
      [type]
    )
  }
})

t.test('nothing is listed twice', async (t) => {
  t.equal(new Set(Instances.map((each) => each['@odata.id'])).size, Instances.length)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
