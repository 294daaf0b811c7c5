import t from 'tap'
import { GET } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/Batteries/{BatteryId}.ts'
import { GET as list } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/Batteries.ts'
import { GET as getSubsystem } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ChassisId: '1' }

t.test('the power subsystem leads to the batteries of the chassis', async (t) => {
  t.same(getSubsystem(context({ uri: '/p', params })).Batteries, { '@odata.id': '/p/Batteries/' })
  t.same(list(context({ uri: '/b', params })).Members, [{ '@odata.id': '/b/1/' }])
  t.match(GET(context({ params: { ...params, BatteryId: '1' } })), {
    Name: 'Storage battery',
    CapacityRatedWattHours: 13.6,
    SerialNumber: '6WNYB0ANLJ21C4'
  })
})

t.test('a chassis without batteries links none, and there is no other', async (t) => {
  const enclosure = { ChassisId: 'enclosurechassis' }
  t.notOk('Batteries' in getSubsystem(context({ params: enclosure })))
  t.same(await refusal(() => list(context({ params: enclosure }))), missing)
  t.same(await refusal(() => GET(context({ params: { ...enclosure, BatteryId: '1' } }))), missing)
  for (const BatteryId of ['2', 'constructor'])
    t.same(await refusal(() => GET(context({ params: { ...params, BatteryId } }))), missing)
})
