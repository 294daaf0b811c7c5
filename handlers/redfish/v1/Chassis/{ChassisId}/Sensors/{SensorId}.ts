import { number, resource, status, text } from '#data/resource'
import { boardSensors, measuredPart, sensorState } from '#data/sensors'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#Sensor.v1_9_0.Sensor',
  description: 'A sensor and its reading',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Reading: number,
    ReadingType: { type: 'string', enum: ['Temperature', 'Percent', 'Power'], nullable: true, readonly: true },
    ReadingUnits: text,
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Units are UCUM's (DSP0268, ReadingUnits). */
const readings = {
  temperature: { ReadingType: 'Temperature', ReadingUnits: 'Cel' },
  fan: { ReadingType: 'Percent', ReadingUnits: '%' },
  load: { ReadingType: 'Percent', ReadingUnits: '%' },
  power: { ReadingType: 'Power', ReadingUnits: 'W' }
} as const

export const GET: Get<typeof schema, 'ChassisId' | 'SensorId'> = ({ params, machine, health }) => {
  const chassis = machine.chassis(params.ChassisId)
  const sensor = boardSensors(chassis).find(({ number }) => String(number) === params.SensorId) ?? notFound()
  const reading = machine.reading(params.ChassisId, sensor.number)
  return {
    Name: sensor.name,
    Reading: reading ?? null,
    ...readings[sensor.kind],
    Status: health(measuredPart(params.ChassisId, chassis, sensor.number), sensorState(reading))
  }
}
