import t from 'tap'
import { GET as environment } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics.ts'
import { GET as fan } from '#handlers/redfish/v1/Chassis/{ChassisId}/ThermalSubsystem/Fans/{FanId}.ts'
import { GET as fans } from '#handlers/redfish/v1/Chassis/{ChassisId}/ThermalSubsystem/Fans.ts'
import { GET as metrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/ThermalSubsystem/ThermalMetrics.ts'
import { GET as get, privileges, schema } from '#handlers/redfish/v1/Chassis/{ChassisId}/ThermalSubsystem.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const params = { ChassisId: '1', FanId: '21' }
const sensor = (number: number) => `/redfish/v1/Chassis/1/Sensors/${number}/`
const readings = { '1/1': 22, '1/7': 38, '1/8': 43, '1/21': 27, '1/31': 148, '1/32': 141 }

t.test('it leads to its fans and its metrics', async (t) => {
  t.match(GET(context({ params, uri: '/t' })), {
    Fans: { '@odata.id': '/t/Fans/' },
    ThermalMetrics: { '@odata.id': '/t/ThermalMetrics/' }
  })
  t.equal(fans(context({ params, uri: '/f' })).Members?.[0]?.['@odata.id'], '/f/21/')
})

t.test('a fan shows its speed, from its sensor', async (t) => {
  t.match(fan(context({ params, readings })), {
    Name: 'Fan 1',
    SpeedPercent: { DataSourceUri: sensor(21), Reading: 27 },
    Status: { State: 'Enabled' }
  })
  t.match(fan(context({ params })), { SpeedPercent: { Reading: null }, Status: { State: 'UnavailableOffline' } })
})

t.test('temperatures are shown all, and those of the air and the board apart', async (t) => {
  const { TemperatureReadingsCelsius = [], TemperatureSummaryCelsius } = metrics(context({ params, readings }))
  t.equal(TemperatureReadingsCelsius.length, 8)
  t.same(TemperatureReadingsCelsius[0], {
    DataSourceUri: sensor(1),
    DeviceName: 'Inlet ambient',
    PhysicalContext: 'Intake',
    Reading: 22
  })
  t.same(TemperatureSummaryCelsius, {
    Exhaust: { DataSourceUri: sensor(8), Reading: 43 },
    Intake: { DataSourceUri: sensor(1), Reading: 22 },
    Internal: { DataSourceUri: sensor(7), Reading: 38 }
  })
})

t.test('the environment has the inlet air, the power and the fans', async (t) => {
  const energy = () => ({ joules: 7_200_000, since: 0 })
  t.match(environment(context({ params, readings, energy })), {
    EnergykWh: { Reading: 2 },
    FanSpeedsPercent: [{ DataSourceUri: sensor(21), DeviceName: 'Fan 1', Reading: 27 }],
    PowerWatts: { Reading: 289 },
    TemperatureCelsius: { DataSourceUri: sensor(1), Reading: 22 }
  })
  const enclosure = environment(context({ params: { ChassisId: 'enclosurechassis' }, energy }))
  t.same([enclosure.FanSpeedsPercent, enclosure.PowerWatts, enclosure.EnergykWh], [[], undefined, undefined])
})

t.test('an unknown id is 404', async (t) => {
  for (const get of [GET, environment, fans, metrics]) {
    t.same(await refusal(() => get(context({ params: { ChassisId: '2' }, energy: () => undefined }))), missing)
  }
  t.same(await refusal(() => fan(context({ params: { ...params, FanId: '1' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
