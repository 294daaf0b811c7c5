import { number, text } from '#data/resource'
import { list, type Machine, object } from '#runtime/contract'
import { sensorUri } from './uris.ts'

/** A reading with the sensor that it is of (DSP0268: a copy, called excerpt, of some properties of a Sensor). */
const source = { DataSourceUri: { type: 'string', format: 'uri-reference', nullable: true, readonly: true } } as const

export const excerpt = object({ ...source, Reading: number })

/** Excerpts of several sensors, which say whose they are. */
export const excerpts = list(object({ ...source, DeviceName: text, PhysicalContext: text, Reading: number }))

interface Shown {
  readonly number: number
  readonly name: string
  readonly context?: string
}

export function showExcerpt(machine: Machine, chassis: string, { number }: Pick<Shown, 'number'>) {
  return { DataSourceUri: `${sensorUri(chassis, number)}/`, Reading: machine.reading(chassis, number) ?? null }
}

export function showExcerpts(machine: Machine, chassis: string, sensors: readonly Shown[]) {
  return sensors.map((sensor) => ({
    ...showExcerpt(machine, chassis, sensor),
    DeviceName: sensor.name,
    ...(sensor.context !== undefined && { PhysicalContext: sensor.context })
  }))
}
