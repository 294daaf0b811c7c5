import { number, text } from '#data/resource'
import { list, type Machine, object } from '#runtime/contract'
import { sensorId, sensorUri } from './uris.ts'

/** A reading with the sensor that it is of (DSP0268: a copy, called excerpt, of some properties of a Sensor). */
const source = { DataSourceUri: { type: 'string', format: 'uri-reference', nullable: true, readonly: true } } as const

export const excerpt = object({ ...source, Reading: number })

/** Excerpts of several sensors, which say whose they are. */
export const excerpts = list(object({ ...source, DeviceName: text, PhysicalContext: text, Reading: number }))

interface Shown {
  readonly id?: string | undefined
  readonly number: number
  readonly name: string
  readonly context?: string | undefined
}

export function showExcerpt(machine: Machine, chassis: string, sensor: Pick<Shown, 'id' | 'number'>) {
  const DataSourceUri = `${sensorUri(chassis, sensorId(sensor))}/`
  return { DataSourceUri, Reading: machine.reading(chassis, sensor.number) ?? null }
}

export function showExcerpts(machine: Machine, chassis: string, sensors: readonly Shown[]) {
  return sensors.map((sensor) => ({
    ...showExcerpt(machine, chassis, sensor),
    DeviceName: sensor.name,
    ...(sensor.context !== undefined && { PhysicalContext: sensor.context })
  }))
}
