import { number, resource, status, text } from '#data/resource'
import {
  boardSensors,
  changeThresholds,
  measuredPart,
  sensorState,
  showStatistics,
  showThresholds,
  statistics,
  thresholds
} from '#data/sensors'
import { type Context, changed, type Get, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = {
  title: '#Sensor.v1_9_0.Sensor',
  description: 'A sensor, its reading and its thresholds',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    ...statistics,
    Reading: number,
    ReadingType: { type: 'string', enum: ['Temperature', 'Percent', 'Power'], nullable: true, readonly: true },
    ReadingUnits: text,
    Status: status,
    Thresholds: thresholds
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

type Path = 'ChassisId' | 'SensorId'

/** Units are UCUM's (DSP0268, ReadingUnits). */
const readings = {
  temperature: { ReadingType: 'Temperature', ReadingUnits: 'Cel' },
  fan: { ReadingType: 'Percent', ReadingUnits: '%' },
  load: { ReadingType: 'Percent', ReadingUnits: '%' },
  power: { ReadingType: 'Power', ReadingUnits: 'W' }
} as const

export const GET: Get<typeof schema, Path> = ({ params, machine, state, health, sensorStatistics }) => {
  const { chassis, sensor } = find({ params, machine })
  const reading = machine.reading(params.ChassisId, sensor.number)
  return {
    Name: sensor.name,
    ...showStatistics(sensorStatistics(params.ChassisId, sensor.number)),
    Reading: reading ?? null,
    ...readings[sensor.kind],
    Status: health(measuredPart(params.ChassisId, chassis, sensor.number), sensorState(reading)),
    Thresholds: showThresholds(state, params.ChassisId, sensor)
  }
}

/** Thresholds are in effect at once. */
export const PATCH: Patch<typeof schema, Path> = ({ params, body, machine, state }) => {
  const { sensor } = find({ params, machine })
  return changed(body.Thresholds ? changeThresholds(state, params.ChassisId, sensor, body.Thresholds) : {})
}

/** @throws MessageError 404 */
function find({ params, machine }: Pick<Context<Path>, 'params' | 'machine'>) {
  const chassis = machine.chassis(params.ChassisId)
  const sensor = boardSensors(chassis).find(({ number }) => String(number) === params.SensorId) ?? notFound()
  return { chassis, sensor }
}
