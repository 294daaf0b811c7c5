import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/TelemetryService/MetricDefinitions/{MetricDefinitionId}.ts'
import * as collection from '#handlers/redfish/v1/TelemetryService/MetricDefinitions.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/TelemetryService/MetricDefinitions'
const show = (MetricDefinitionId: string) => GET(context({ params: { MetricDefinitionId } }))
const load = ['CPUUtilization', 'MemoryBandwidth', 'IOBandwidth']
const metrics = [...load, 'PowerConsumption', 'PowerSupplyOutput', 'Temperature', 'FanSpeed']

t.test('there is a definition for all that the machine measures', async (t) => {
  t.same(
    collection.GET(context({ uri })).Members,
    metrics.map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
})

t.test('each other kind that a board measures has one', async (t) => {
  const { board } = context().machine
  const chassis = board.chassis['1']!
  const common = { kind: 'voltage', name: '5 V', reading: 5, standby: 5 } as const
  const measurements = [{ ...common, number: 91, id: 'P5V' }]
  const own = { ...board, chassis: { ...board.chassis, 1: { ...chassis, measurements } } }
  const MetricProperties = ['/redfish/v1/Chassis/1/Sensors/P5V/#/Reading']
  const shown = GET(context({ params: { MetricDefinitionId: 'VoltageMeasurement' }, board: own }))
  t.match(shown, { Name: 'Voltage', Units: 'V', MetricProperties })
})

t.test('a definition has units, bounds and the properties that show it', async (t) => {
  t.match(show('CPUUtilization'), {
    MetricType: 'Gauge',
    MetricDataType: 'Decimal',
    Units: '%',
    MinReadingRange: 0,
    MaxReadingRange: 100,
    SensingInterval: 'PT5S',
    MetricProperties: ['/redfish/v1/Chassis/1/Sensors/41/#/Reading']
  })
  const chassis = '/redfish/v1/Chassis/1'
  t.match(show('PowerConsumption'), {
    Implementation: 'Synthesized',
    Units: 'W',
    MaxReadingRange: 1600,
    MetricProperties: [`${chassis}/Power/#/PowerControl/0/PowerConsumedWatts`]
  })
  t.match(show('PowerSupplyOutput'), {
    MaxReadingRange: 800,
    MetricProperties: [`${chassis}/Sensors/31/#/Reading`, `${chassis}/Sensors/32/#/Reading`]
  })
  const { MetricProperties = [] } = show('Temperature')
  t.equal(MetricProperties.length, 11)
  t.equal(MetricProperties[0], `${chassis}/Thermal/#/Temperatures/0/ReadingCelsius`)
  t.equal(MetricProperties[8], '/redfish/v1/Chassis/enclosurechassis/Thermal/#/Temperatures/0/ReadingCelsius')
})

t.test('one that is not there is not there', async (t) => {
  for (const id of ['Noise', 'cpuutilization', 'constructor']) t.same(await refusal(() => show(id)), missing, id)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same([privileges, collection.privileges], [{ GET: 'LoginPriv' }, { GET: 'LoginPriv' }])
})
