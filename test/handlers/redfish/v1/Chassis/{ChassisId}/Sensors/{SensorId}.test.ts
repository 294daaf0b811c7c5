import t from 'tap'
import type { SensorStatistics, SensorThresholds } from '#data/sensors'
import { POST } from '#handlers/redfish/v1/Chassis/{ChassisId}/Sensors/{SensorId}/Actions/Sensor.ResetMetrics.ts'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Sensors/{SensorId}.ts'
import { badRequest, context, missing, refusal } from '#test/handlers/context.ts'

const readings = { '1/2': 54, '1/21': 27, '1/31': 148, '1/41': 33.5 }
const { board } = context().machine

/** A board whose thresholds clients cannot set. */
const own = board.chassis['1']!
const temperatures = own.temperatures.map(({ thresholds: _, ...each }) => each)
const keeping = { ...board, chassis: { 1: { ...own, temperatures } } }

/** A sensor, and what clients have set for it. */
function given(SensorId: string, set: SensorThresholds = {}, statistics?: SensorStatistics) {
  const tables = { sensorThreshold: { [`1/${SensorId}`]: set } }
  return { params: { ChassisId: '1', SensorId }, readings, tables, sensorStatistics: () => statistics }
}

const show = (SensorId: string, set?: SensorThresholds) => GET(context(given(SensorId, set)))

const change = (SensorId: string, Thresholds: object, set?: SensorThresholds) =>
  PATCH(context({ ...given(SensorId, set), body: { Thresholds } }))

const refused = async (Thresholds: object, sensor = '2') => {
  const { status, messages } = await refusal(() => change(sensor, Thresholds))
  t.equal(status, 400)
  return messages
}

t.test('a sensor shows its reading with its units', async (t) => {
  const ok = { State: 'Enabled', Health: 'OK' }
  const fan = { Name: 'Fan 1', Reading: 27, ReadingType: 'Percent', ReadingUnits: '%', Status: ok }
  t.match(show('2'), { Name: 'Processor 1', Reading: 54, ReadingType: 'Temperature', ReadingUnits: 'Cel', Status: ok })
  t.match(show('21'), fan)
  t.match(show('31'), { Reading: 148, ReadingType: 'Power', ReadingUnits: 'W' })
  t.match(show('41'), { Name: 'Processor utilization', Reading: 33.5, ReadingType: 'Percent', ReadingUnits: '%' })
})

t.test('a board names what else is measured, with its unit, its range and its thresholds', async (t) => {
  const common = { number: 51, id: 'voltage_P12V', name: '12 V', kind: 'voltage', reading: 12, standby: 12 } as const
  const measured = { ...common, minimum: 0, maximum: 15.5, thresholds: { LowerCritical: 11 } }
  const chassis = { ...own, measurements: [measured] }
  const shown = GET(
    context({
      ...given('voltage_P12V'),
      board: { ...board, chassis: { 1: chassis } },
      readings: { '1/51': 12.05 }
    })
  )
  t.match(shown, { Name: '12 V', Reading: 12.05, ReadingType: 'Voltage', ReadingUnits: 'V' })
  t.match(shown, { ReadingRangeMin: 0, ReadingRangeMax: 15.5, Thresholds: { LowerCritical: { Reading: 11 } } })
  const number = given('51')
  t.same(await refusal(() => GET(context({ ...number, board: { ...board, chassis: { 1: chassis } } }))), missing)
})

t.test('one that cannot be read says so', async (t) => {
  t.match(show('3'), { Reading: null, Status: { State: 'UnavailableOffline', Health: null } })
})

t.test('the sensor of a fan or a power supply has the status of that part', async (t) => {
  const parts = { 2: 'Sensors/2', 21: 'ThermalSubsystem/Fans/21', 31: 'PowerSubsystem/PowerSupplies/1' }
  for (const [id, part] of Object.entries(parts)) {
    const health = (origin: string) => {
      const condition = {
        origin: `/redfish/v1/Chassis/1/${origin}`,
        severity: 'Warning',
        messageId: '',
        args: []
      } as const
      return GET(context({ ...given(id), tables: { condition: { it: condition } } })).Status?.Health
    }
    t.same([health(part), health('Sensors/9')], ['Warning', 'OK'], id)
  }
})

t.test('it shows the thresholds of the board, and over them those that clients have set', async (t) => {
  const upper = { Activation: 'Increasing', DwellTime: 'PT0S', HysteresisReading: 2 }
  t.match(show('2').Thresholds, {
    LowerCaution: { ...upper, Activation: 'Decreasing', Reading: null },
    UpperCaution: { ...upper, Reading: null },
    UpperCritical: { ...upper, Reading: 90 },
    UpperFatal: { ...upper, Reading: 95 }
  })
  t.match(show('2', { UpperCaution: { reading: 70, dwell: 30 }, UpperCritical: { hysteresis: 5 } }).Thresholds, {
    UpperCaution: { ...upper, DwellTime: 'PT30S', Reading: 70 },
    UpperCritical: { ...upper, HysteresisReading: 5, Reading: 90 }
  })
  const fan = { Activation: 'Decreasing', DwellTime: 'PT5S', HysteresisReading: 0 }
  t.match(show('21').Thresholds, { LowerCritical: { ...fan, Reading: 1 }, LowerCaution: { ...fan, Reading: 4 } })
})

t.test('of a board that keeps its thresholds, those that there are are shown', async (t) => {
  const shown = GET(context({ ...given('2'), board: keeping })).Thresholds ?? {}
  t.same(Object.keys(shown), ['UpperCritical', 'UpperFatal'])
})

t.test('of thresholds that another program keeps, the readings are set that there are, and nothing else', async (t) => {
  const held = own.temperatures.map((each) => ({ ...each, thresholds: { held: ['UpperCritical'] as const } }))
  const others = { ...board, chassis: { 1: { ...own, temperatures: held } } }
  const change = (Thresholds: object) => PATCH(context({ ...given('2'), board: others, body: { Thresholds } }))
  t.match((await change({ UpperCritical: { Reading: 80 } })).writes, {
    sensorThreshold: { '1/2': { UpperCritical: { reading: 80 } } }
  })
  for (const [name, member, value] of [
    ['UpperCaution', 'Reading', 70],
    ['UpperCritical', 'Reading', null],
    ['UpperCritical', 'HysteresisReading', 3],
    ['UpperCritical', 'DwellTime', 'PT1M']
  ] as const) {
    const { status, messages } = await refusal(() => change({ [name]: { [member]: value } }))
    t.same([status, messages], [400, [['Base.PropertyNotWritable', `Thresholds/${name}/${member}`]]])
  }
})

t.test('it shows the highest, the lowest and the average reading, once there is one', async (t) => {
  const at = Date.parse('2025-06-01T12:00:00Z')
  const statistics = { since: at, highest: 60, highestAt: at + 2000, lowest: 40, lowestAt: at + 1000, average: 50.126 }
  t.match(GET(context(given('2', {}, statistics))), {
    AverageReading: 50.13,
    LowestReading: 40,
    LowestReadingTime: '2025-06-01T12:00:01.000Z',
    PeakReading: 60,
    PeakReadingTime: '2025-06-01T12:00:02.000Z',
    SensorResetTime: '2025-06-01T12:00:00.000Z'
  })
  t.notOk('PeakReading' in show('2'))
})

t.test('clients set thresholds, and give them back to the board', async (t) => {
  const set = { UpperCaution: { Reading: 70, HysteresisReading: 3, DwellTime: 'PT1M' } }
  const record = { UpperCaution: { reading: 70, hysteresis: 3, dwell: 60 } }
  t.match((await change('2', set)).writes, { sensorThreshold: { '1/2': record } })
  const { writes } = await change('2', { UpperCaution: { Reading: null } }, record)
  t.same(writes?.sensorThreshold?.['1/2']?.UpperCaution, { hysteresis: 3, dwell: 60 })
  t.match((await change('31', { UpperCaution: { Reading: 700 } })).writes, { sensorThreshold: { '1/31': {} } })
})

t.test('thresholds that are not in order are refused, also with those of the board', async (t) => {
  const conflict = (one: string, other: string) => [
    ['Base.PropertyValueConflict', `Thresholds/${one}/Reading`, `Thresholds/${other}/Reading`]
  ]
  t.same(await refused({ UpperCaution: { Reading: 90 } }), conflict('UpperCaution', 'UpperCritical'))
  t.same(await refused({ UpperCritical: { Reading: 95 } }), conflict('UpperCritical', 'UpperFatal'))
  t.same(
    await refused({ LowerCaution: { Reading: 50 }, UpperCaution: { Reading: 40 } }),
    conflict('LowerCaution', 'UpperCaution')
  )
})

t.test('a threshold out of the range of its sensor is 400', async (t) => {
  const range = (value: string, member: string) => [['Base.PropertyValueOutOfRange', value, `Thresholds/${member}`]]
  t.same(await refused({ UpperFatal: { Reading: 151 } }), range('151', 'UpperFatal/Reading'))
  t.same(await refused({ LowerFatal: { Reading: -56 } }), range('-56', 'LowerFatal/Reading'))
  t.same(await refused({ UpperCaution: { Reading: 101 } }, '21'), range('101', 'UpperCaution/Reading'))
  t.same(await refused({ UpperFatal: { HysteresisReading: 300 } }), range('300', 'UpperFatal/HysteresisReading'))
  t.same(await refused({ UpperFatal: { DwellTime: 'PT2H' } }), range('PT2H', 'UpperFatal/DwellTime'))
})

t.test('a board may keep its thresholds', async (t) => {
  const body = { Thresholds: { UpperCaution: { Reading: 70 } } }
  t.same(await badRequest(() => PATCH(context({ ...given('2'), board: keeping, body }))), [
    ['Base.PropertyNotWritable', 'Thresholds']
  ])
})

t.test(
  'the power and the energy of all supplies together have no thresholds, and no chassis without supplies has them',
  async (t) => {
    const energy = () => ({ joules: 5_402_000, since: Date.parse('2025-06-01T12:00:00Z') })
    const total = (SensorId: string, more: object = {}) => ({ ...given(SensorId), energy, ...more })
    const readings = { '1/31': 148, '1/32': 141 }
    t.match(GET(context(total('TotalPower', { readings }))), { Reading: 289, ReadingType: 'Power', ReadingUnits: 'W' })
    t.match(GET(context(total('TotalPower'))), { Reading: null, Status: { State: 'UnavailableOffline' } })
    t.match(GET(context(total('TotalEnergy'))), {
      Reading: 1.501,
      ReadingType: 'EnergykWh',
      ReadingUnits: 'kW.h',
      SensorResetTime: '2025-06-01T12:00:00.000Z'
    })
    const body = { Thresholds: { UpperCaution: { Reading: 70 } } }
    t.same(await badRequest(() => PATCH(context(total('TotalPower', { body })))), [
      ['Base.PropertyNotWritable', 'Thresholds']
    ])
    const params = { ChassisId: 'enclosurechassis', SensorId: 'TotalPower' }
    t.same(await refusal(() => GET(context(total('TotalPower', { params })))), missing)
  }
)

t.test('a reset of the metrics is of that sensor alone', async (t) => {
  const reset = async (SensorId: string) => (await POST(context({ ...given(SensorId), body: {} }))).commands
  t.same(await reset('31'), [{ kind: 'resetMetrics', chassis: '1', sensor: 31 }])
  t.same(await reset('TotalEnergy'), [{ kind: 'resetMetrics', chassis: '1', sensor: 'TotalEnergy' }])
  t.same(await refusal(() => POST(context({ ...given('9'), body: {} }))), missing)
})

t.test('one that is not there is not there', async (t) => {
  for (const id of ['9', '02', 'toString', '']) t.same(await refusal(() => show(id)), missing, id)
  t.same(await refusal(() => GET(context({ ...given('2'), params: { ChassisId: '2', SensorId: '2' } }))), missing)
  t.same(await refusal(() => change('9', {})), missing)
})

t.test('reading takes LoginPriv, a change MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
