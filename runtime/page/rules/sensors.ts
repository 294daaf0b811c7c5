import type { Sensor, Thermal } from '../types.ts'

/**
 * The URI of the sensor whose reading a metric property is (DSP0268, MetricReport): its own, or that of the member of
 * `Thermal` that names it.
 *
 * @param chassis the URI of the chassis that is shown
 * @returns undefined if it is no sensor of this chassis
 */
export function sensorOf(
  property: string,
  chassis: string,
  thermal: Partial<Pick<Thermal, 'Fans' | 'Temperatures'>>
): string | undefined {
  if (!property.startsWith(chassis)) return undefined
  const inner = property.slice(chassis.length)
  const [, own, list, index] = /^(?:Sensors\/(\w+)\/#|Thermal\/#\/(Temperatures|Fans)\/(\d+))\//.exec(inner) ?? []
  const number = own ?? thermal[list as 'Fans']?.[Number(index)]?.SensorNumber
  return number === undefined ? undefined : `${chassis}Sensors/${number}/`
}

/** Whether metric reports have the readings of a sensor. They have no totals of a chassis, whose ids are not numbers. */
export const isReported = ({ Id }: Pick<Sensor, 'Id'>) => /^\d+$/.test(Id)
