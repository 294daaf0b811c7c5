import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import type { WatchedPart } from '../inventory.ts'
import { Readings } from '../readings.ts'
import { roundedReading, type Sensor, type Sensors } from '../sensors.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'
import { openbmcPartFaults, stateInterfaces, stateOf } from './part-faults.ts'
import { sensorsRoot, sensorValue } from './sensor-kinds.ts'
import { openbmcThresholds, thresholdInterfaces, type Wired } from './thresholds.ts'

/** The back end `openbmc` of a board file: sensors that the daemons of OpenBMC publish on D-Bus. */
export interface OpenbmcSensorsOptions extends BusOptions {
  readonly sensors: readonly Sensor[]
  /** By the number of the sensor. */
  readonly inputs?: Readonly<Record<string, Input>>
  /** Parts whose faults are watched, by their names, such as `fans/fan0`. */
  readonly parts?: Readonly<Record<string, WatchedPart>>
}

interface Input {
  /** Below `/xyz/openbmc_project/sensors`: `temperature/CPU0`. */
  readonly object: string
  /** For a fan in revolutions per minute: those at full speed. */
  readonly most?: number | undefined
}

const path = { type: 'string', pattern: '^[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)*$' } as const

/** {@link OpenbmcSensorsOptions} in a board file. */
export const openbmcSensorsOptions = {
  type: 'object',
  required: ['inputs'],
  properties: {
    inputs: {
      type: 'object',
      properties: {},
      additionalProperties: {
        type: 'object',
        required: ['object'],
        properties: {
          object: { ...path, description: 'Its path below /xyz/openbmc_project/sensors: temperature/CPU0' },
          most: { type: 'number', description: 'For a fan: revolutions per minute at full speed' }
        }
      },
      description: 'By the number of the sensor. One without an input cannot be read'
    },
    parts: {
      type: 'object',
      properties: {},
      additionalProperties: {
        type: 'object',
        required: ['object'],
        properties: {
          object: { ...path, description: 'Its path below /xyz/openbmc_project/inventory' },
          lamp: { ...path, description: 'The group of LEDs of its fault lamp, below /xyz/openbmc_project/led/groups' }
        }
      },
      description: 'Parts whose faults are watched, by their names, such as fans/fan0'
    },
    ...busOptions
  }
} as const

export const sensorInterfaces = [sensorValue, ...stateInterfaces, ...thresholdInterfaces]

/** @throws {HalError} `EINVAL`, one sentence, for options that are wrong */
export function openbmcSensors(
  objects: Objects,
  { name, sensors, inputs = {}, parts = {} }: OpenbmcSensorsOptions
): Sensors {
  const declared = new Map(sensors.map((sensor) => [String(sensor.number), sensor]))
  // The texts of the mirror, of which there can be a thousand, are not kept twice.
  const paths = new Map(objects.paths(sensorValue).map((each) => [each, each]))
  const byNumber = new Map<number, Wired>()
  const byPath = new Map<string, Wired>()
  for (const [key, { object, most }] of Object.entries(inputs)) {
    const sensor = declared.get(key)
    if (sensor === undefined) throw new HalError('EINVAL', `${name}: there is no sensor ${key}`)
    if (most !== undefined && !(most > 0))
      throw new HalError('EINVAL', `${name}: most of sensor ${key} must be above 0`)
    const named = `${sensorsRoot}${object}`
    const path = paths.get(named) ?? named
    const next = byPath.get(path)
    const wired: Wired = { sensor, path, most, thresholds: '', ...(next !== undefined && { next }) }
    byNumber.set(sensor.number, wired)
    byPath.set(path, wired)
  }
  const listeners = new Listeners<ReadonlySet<number>>()
  const readings = new Readings()
  let isClosed = false

  const read = ({ sensor: { kind }, path: at, most }: Wired): number | undefined => {
    if (stateOf(objects.properties, at) !== undefined) return undefined
    const shown = objects.properties(at, sensorValue)?.get('Value')
    if (typeof shown !== 'number' || !Number.isFinite(shown)) return undefined
    return roundedReading(kind, most === undefined ? shown : (shown * 100) / most)
  }

  const update = (wired: Wired) => {
    const reading = read(wired)
    if (reading === undefined) readings.delete(wired.sensor.number)
    else readings.set(wired.sensor.number, reading)
  }
  const faults = openbmcPartFaults(objects, parts)
  objects.on((changed) => {
    for (const path of changed) {
      for (let wired = byPath.get(path); wired !== undefined; wired = wired.next) update(wired)
    }
    const moved = readings.changes()
    if (faults.look(changed) || moved.size > 0) listeners.emit(moved)
  })

  return {
    thresholds: openbmcThresholds(objects, name, { byNumber, byPath }),
    get partFaults() {
      return faults.seen
    },
    read: (number) => readings.get(number),
    /** Takes what the mirror has: no call on the bus. */
    async poll() {
      await objects.settled
      try {
        if (isClosed) throw new HalError('ENODEV', `${name}: poll: the device is closed`)
        for (const wired of byNumber.values()) update(wired)
        if (byNumber.size > 0 && readings.isEmpty) throw new HalError('EIO', `${name}: no sensor can be read`)
      } finally {
        listeners.emit(readings.changes())
      }
    },
    on: (listener) => listeners.add(listener),
    async close() {
      isClosed = true
      objects.close()
      readings.clear()
      listeners.clear()
    }
  }
}
