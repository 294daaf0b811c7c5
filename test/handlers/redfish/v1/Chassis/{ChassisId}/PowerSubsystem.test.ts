import t from 'tap'
import { GET as metrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/PowerSupplies/{PowerSupplyId}/Metrics.ts'
import {
  GET as getSupply,
  schema as supplySchema
} from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/PowerSupplies/{PowerSupplyId}.ts'
import { GET as list } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/PowerSupplies.ts'
import { GET as get, privileges, schema } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)
const supply = completed(supplySchema, getSupply)
const params = { ChassisId: '1', PowerSupplyId: '2' }

t.test('power supplies are listed, with their total capacity', async (t) => {
  t.match(GET(context({ params, uri: '/p' })), {
    CapacityWatts: 1600,
    PowerSupplies: { '@odata.id': '/p/PowerSupplies/' }
  })
  t.equal(GET(context({ params: { ChassisId: 'enclosurechassis' } })).CapacityWatts, null)
  const { Members } = list(context({ params, uri: '/s' }))
  t.same(Members, [{ '@odata.id': '/s/1/' }, { '@odata.id': '/s/2/' }])
})

t.test('a power supply shows its identity, and its metrics show its output', async (t) => {
  const readings = { '1/32': 141 }
  t.match(supply(context({ params, readings, uri: '/s/2' })), {
    Name: 'Power supply 2',
    PowerCapacityWatts: 800,
    SerialNumber: '5WBXK0ANLJ43B7',
    Status: { State: 'Enabled' },
    Metrics: { '@odata.id': '/s/2/Metrics/' }
  })
  t.match(supply(context({ params })).Status, { State: 'UnavailableOffline' })
  t.same(metrics(context({ params, readings })), {
    InputVoltage: { Reading: 230 },
    OutputPowerWatts: { DataSourceUri: '/redfish/v1/Chassis/1/Sensors/32/', Reading: 141 }
  })
})

t.test('what is not known of a supply is absent, and its sensor may measure the input', async (t) => {
  const { board } = context().machine
  const own = board.chassis['1']!
  const { bay, output } = own.powerSupplies[1]!
  const powerSupplies = [{ bay, output, measures: 'Input' as const }]
  const known = { board: { ...board, chassis: { 1: { ...own, powerSupplies } } }, params, readings: { '1/32': 141 } }
  const { DataSourceUri } = metrics(context({ ...known, params })).InputPowerWatts ?? {}
  t.equal(DataSourceUri, '/redfish/v1/Chassis/1/Sensors/32/')
  t.equal(metrics(context(known)).OutputPowerWatts, undefined)
  const { Model, SerialNumber, PowerCapacityWatts } = supply(context(known))
  t.same([Model, SerialNumber, PowerCapacityWatts], [undefined, undefined, undefined])
})

t.test('an unknown id is 404', async (t) => {
  for (const PowerSupplyId of ['3', '02', 'constructor']) {
    t.same(await refusal(() => supply(context({ params: { ...params, PowerSupplyId } }))), missing)
    t.same(await refusal(() => metrics(context({ params: { ...params, PowerSupplyId } }))), missing)
  }
  for (const get of [GET, list]) t.same(await refusal(() => get(context({ params: { ChassisId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
