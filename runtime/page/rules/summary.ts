import type { Sensor } from '../types.ts'
import { criticalLimit } from './sensors.ts'

/** The temperature that is nearest to its critical limit, or the highest where no limit is known. */
export function hottest(sensors: readonly Sensor[]): Sensor | undefined {
  const share = (sensor: Sensor) => (sensor.Reading ?? 0) / (criticalLimit(sensor) ?? 1000)
  return sensors
    .filter(({ ReadingType, Reading }) => ReadingType === 'Temperature' && Reading != null)
    .reduce<Sensor | undefined>((most, each) => (most && share(most) >= share(each) ? most : each), undefined)
}
