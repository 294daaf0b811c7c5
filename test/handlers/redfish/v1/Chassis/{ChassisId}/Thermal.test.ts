import t from 'tap'
import { GET, privileges } from '../../../../../../handlers/redfish/v1/Chassis/{ChassisId}/Thermal.ts'
import { context, missing, refusal } from '../../../../context.ts'

const uri = '/redfish/v1/Chassis/1/Thermal'
const params = { ChassisId: '1' }

t.test('temperatures come with where they are taken and their thresholds', async (t) => {
  const shown = GET(context({ uri, params }))
  t.equal(shown['Temperatures@odata.count'], 8)
  t.match(shown.Temperatures?.[1], {
    '@odata.id': `${uri}/#/Temperatures/1`,
    Name: 'Processor 1',
    PhysicalContext: 'CPU',
    ReadingCelsius: 54,
    SensorNumber: 2,
    UpperThresholdCritical: 90,
    UpperThresholdFatal: 95
  })
})

t.test('fans come with their speed', async (t) => {
  const shown = GET(context({ uri, params }))
  t.equal(shown['Fans@odata.count'], 6)
  t.match(shown.Fans?.[0], { '@odata.id': `${uri}/#/Fans/0`, Name: 'Fan 1', Reading: 27, ReadingUnits: 'Percent' })
})

t.test('with the host off it is cool and quiet', async (t) => {
  const { Fans, Temperatures } = GET(context({ uri, params, power: 'Off' }))
  t.same([Fans?.[0]?.Reading, Temperatures?.[1]?.ReadingCelsius], [8, 26])
})

t.test('an enclosure has what it has, and a chassis that is not there nothing', async (t) => {
  const { Fans, Temperatures = [] } = GET(context({ uri, params: { ChassisId: 'enclosurechassis' }, power: 'Off' }))
  t.same([Fans, Temperatures.length, Temperatures[0]?.ReadingCelsius], [[], 1, 22])
  t.same(await refusal(() => GET(context({ params: { ChassisId: 'constructor' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
