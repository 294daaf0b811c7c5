import { findSensor, showTotal } from '#data/power'
import { actions, number, resource, status, text } from '#data/resource'
import {
  changeThresholds,
  measuredPart,
  readingRange,
  sensorState,
  sensorTypes,
  showStatistics,
  showThresholds,
  statistics,
  thresholds
} from '#data/sensors'
import { changed, fail, type Get, type Patch } from '#runtime/contract'

export const schema = resource('Sensor.v1_9_0', 'A sensor, its reading and its thresholds', {
  ...statistics,
  Actions: actions({ 'Sensor.ResetMetrics': {} }),
  Reading: number,
  ReadingRangeMax: number,
  ReadingRangeMin: number,
  ReadingType: {
    type: 'string',
    enum: ['EnergykWh', ...new Set(Object.values(sensorTypes).map(({ type }) => type))],
    nullable: true,
    readonly: true
  },
  ReadingUnits: text,
  Status: status,
  Thresholds: thresholds
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

type Path = 'ChassisId' | 'SensorId'

export const GET: Get<typeof schema, Path> = (context) => {
  const { params, machine, state, health, sensorStatistics } = context
  const id = params.ChassisId
  const sensor = findSensor(context)
  if (typeof sensor === 'string') {
    const shown = showTotal(context, id, sensor, sensorStatistics(id, 'TotalPower'))
    return { ...shown, Status: sensorState(shown.Reading ?? undefined) }
  }
  const reading = machine.reading(id, sensor.number)
  const { type, units } = sensorTypes[sensor.kind]
  const [least, most] = readingRange(sensor)
  return {
    Name: sensor.name,
    ...showStatistics(sensorStatistics(id, sensor.number)),
    Reading: reading ?? null,
    ReadingRangeMax: most,
    ReadingRangeMin: least,
    ReadingType: type,
    ReadingUnits: units,
    Status: health(measuredPart(id, machine.chassis(id), sensor), sensorState(reading)),
    Thresholds: showThresholds(state, id, sensor)
  }
}

/** Thresholds are in effect at once. */
export const PATCH: Patch<typeof schema, Path> = (context) => {
  const { params, body, state } = context
  const sensor = findSensor(context)
  if (body.Thresholds === undefined) return changed({})
  if (typeof sensor === 'string') fail(400, 'Base.PropertyNotWritable', 'Thresholds')
  return changed(changeThresholds(state, params.ChassisId, sensor, body.Thresholds))
}
