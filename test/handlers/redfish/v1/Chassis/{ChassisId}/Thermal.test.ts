import t from 'tap'
import { GET as get, privileges, schema } from '#handlers/redfish/v1/Chassis/{ChassisId}/Thermal.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Chassis/1/Thermal'
const params = { ChassisId: '1' }

t.test('temperatures have readings, physical contexts and thresholds', async (t) => {
  const shown = GET(context({ uri, params, readings: { '1/2': 54 } }))
  t.equal(shown['Temperatures@odata.count'], 8)
  t.match(shown.Temperatures?.[1], {
    '@odata.id': `${uri}/#/Temperatures/1`,
    Name: 'Processor 1',
    PhysicalContext: 'CPU',
    ReadingCelsius: 54,
    MinReadingRangeTemp: -55,
    MaxReadingRangeTemp: 150,
    SensorNumber: 2,
    Status: { State: 'Enabled', Health: 'OK' },
    UpperThresholdCritical: 90,
    UpperThresholdFatal: 95
  })
})

t.test('fans have their speed', async (t) => {
  const shown = GET(context({ uri, params, readings: { '1/21': 27 } }))
  t.equal(shown['Fans@odata.count'], 6)
  t.match(shown.Fans?.[0], { '@odata.id': `${uri}/#/Fans/0`, Name: 'Fan 1', Reading: 27, ReadingUnits: 'Percent' })
  t.match(shown.Fans?.[0], { MinReadingRange: 0, MaxReadingRange: 100 })
})

t.test('a sensor without a reading is null and UnavailableOffline', async (t) => {
  const { Fans, Temperatures } = GET(context({ uri, params, readings: { '1/22': 0 } }))
  const gone = { State: 'UnavailableOffline', Health: null }
  t.match(Fans?.[0], { Reading: null, Status: gone })
  t.match(Fans?.[1], { Reading: 0, Status: { State: 'Enabled' } }, 'but nought is a reading')
  t.match(Temperatures?.[0], { ReadingCelsius: null, Status: gone })
})

t.test('each fan and each temperature has the status of its part', async (t) => {
  const at = (origin: string) => ({
    condition: {
      it: { origin: `/redfish/v1/Chassis/1/${origin}`, severity: 'Critical', messageId: '', args: [] } as const
    }
  })
  const health = (tables = {}) => {
    const shown = GET(context({ uri, params, tables, readings: { '1/2': 50, '1/22': 8 } }))
    return [shown.Temperatures?.[1]?.Status?.Health, shown.Fans?.[1]?.Status?.Health]
  }
  t.same(health(), ['OK', 'OK'])
  t.same(health(at('Sensors/2')), ['Critical', 'OK'])
  t.same(health(at('ThermalSubsystem/Fans/22')), ['OK', 'Critical'])
})

t.test("users' thresholds are in the vendor’s block, in effect or pending", async (t) => {
  const temperatureThreshold = {
    '1/2/Warning': { effective: 60, pending: 65 },
    '1/3/Warning': { effective: null, pending: 70 },
    '1/3/Critical': { effective: 80, pending: null }
  }
  const { Vendor } = GET(context({ uri, params, tables: { temperatureThreshold } })).Oem ?? {}
  t.same(Vendor?.WarningUserTempThresholds, [
    { PendingThresholdValue: 65, SensorNumber: 2, ThresholdValue: 60 },
    { PendingThresholdValue: 70, SensorNumber: 3, ThresholdValue: null }
  ])
  t.same(Vendor?.CriticalUserTempThresholds, [{ PendingThresholdValue: null, SensorNumber: 3, ThresholdValue: 80 }])
  const one = { temperatureThreshold: { '1/2/Warning': { effective: 60, pending: null } } }
  t.equal(GET(context({ uri, params, tables: one })).Oem?.Vendor?.WarningUserTempThresholds?.length, 1)
  const none = GET(context({ uri, params })).Oem?.Vendor ?? {}
  t.notOk('CriticalUserTempThresholds' in none || 'WarningUserTempThresholds' in none)
})

t.test('it offers the action that sets them', async (t) => {
  t.match(GET(context({ uri, params })).Oem?.Vendor?.Actions, {
    '#VendorThermalExt.SetUserTempThreshold': {
      '@Redfish.ActionInfo': '/redfish/v1/ActionInfo/VendorThermalExt.SetUserTempThreshold/',
      'AlertType@Redfish.AllowableValues': ['Warning', 'Critical']
    }
  })
})

t.test('an enclosure shows its own sensors, and an unknown chassis is 404', async (t) => {
  const readings = { 'enclosurechassis/1': 22 }
  const { Fans, Temperatures = [] } = GET(context({ uri, params: { ChassisId: 'enclosurechassis' }, readings }))
  t.same([Fans, Temperatures.length, Temperatures[0]?.ReadingCelsius], [[], 3, 22])
  t.same(await refusal(() => GET(context({ params: { ChassisId: 'constructor' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
