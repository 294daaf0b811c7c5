import type { Properties } from '../dbus/mirror.ts'
import type { FoundSensor } from '../inventory.ts'
import type { Sensor } from '../sensors.ts'

export const sensorsRoot = '/xyz/openbmc_project/sensors/'
export const sensorValue = 'xyz.openbmc_project.Sensor.Value'

/** The kinds of sensors by the folders of their objects. A fan without a maximum is in revolutions a minute. */
const kinds: Readonly<Record<string, Sensor['kind']>> = {
  temperature: 'temperature',
  fan_tach: 'fan',
  fan_pwm: 'load',
  power: 'power',
  voltage: 'voltage',
  current: 'current',
  energy: 'energy',
  utilization: 'load',
  humidity: 'humidity',
  airflow: 'airFlow',
  liquidflow: 'liquidFlow',
  altitude: 'altitude',
  frequency: 'frequency',
  pressure: 'pressure'
}

/** Where the reading of a sensor comes from. */
interface Input {
  readonly object: string
  readonly most?: number
}

/**
 * The sensor of an object; undefined if it is of an unknown kind.
 *
 * @param numbers those of the other sensors; its own is added
 */
export function foundSensor(
  path: string,
  properties: Properties,
  numbers: Set<number>
): { readonly sensor: Omit<FoundSensor, 'held'>; readonly input: Input } | undefined {
  const object = path.slice(sensorsRoot.length)
  const [folder = '', name = ''] = object.split('/')
  const most = finite(properties.get('MaxValue'))
  const kind = folder === 'fan_tach' && (most === undefined || most <= 0) ? 'speed' : kinds[folder]
  if (kind === undefined || name === '' || !/^[A-Za-z0-9_]+\/[A-Za-z0-9_]+$/.test(object)) return undefined
  let number = hashOf(object)
  while (numbers.has(number)) number = (number + 1) % 2 ** 31
  numbers.add(number)
  const id = `${folder.replaceAll('_', '')}_${name}`
  const least = finite(properties.get('MinValue'))
  const hasRange = kind !== 'fan' && least !== undefined && most !== undefined && least < most
  return {
    sensor: { number, id, name: name.replaceAll('_', ' '), kind, ...(hasRange && { minimum: least, maximum: most }) },
    input: { object, ...(kind === 'fan' && { most: most as number }) }
  }
}

const finite = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/** 31 bits (FNV-1a), so that the number of a sensor does not depend on the others. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash >>> 1
}
