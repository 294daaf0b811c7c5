import type { Board } from '#data/board'
import { boardSensors, type SensorThresholds, sensorUri, thresholdsKey } from '#data/sensors'
import type { HalError } from '#hal/errors.ts'
import { type HeldThresholds, type ThresholdName, thresholdNames } from '#hal/sensors.ts'
import type { Closable } from '#runtime/base/opening.ts'
import { event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import { type Devices, explain } from '../machine/machine.ts'

/**
 * Has thresholds that another program holds be those of the table `sensorThreshold`. A change that another program makes
 * is an event of the sensor.
 */
export function attachThresholds(
  store: Store,
  events: Pick<Events, 'emit'>,
  { chassis }: Board,
  devices: Pick<Devices, 'sensors'>
): Closable {
  const all = new Map<string, HeldThresholds>()
  for (const [id, { thresholds }] of devices.sensors)
    if (thresholds !== undefined && thresholds.sensors.length > 0) all.set(id, thresholds)
  if (all.size === 0) return { close: () => undefined }
  const placeOf = (key: string) => {
    const at = key.lastIndexOf('/')
    return { held: all.get(key.slice(0, at)), number: Number(key.slice(at + 1)) }
  }
  const uriOf = (id: string, number: number) =>
    sensorUri(id, boardSensors(chassis[id]!).find((each) => each.number === number)?.id ?? String(number))
  const close = store.attach('sensorThreshold', {
    members: thresholdNames,
    decides: false,
    *keys() {
      for (const [id, { sensors }] of all) for (const number of sensors) yield thresholdsKey(id, number)
    },
    get(key) {
      const { held, number } = placeOf(key)
      const readings = held?.get(number)
      if (readings === undefined) return undefined
      const members = Object.entries(readings).map(([name, reading]) => [name, { reading }])
      return Object.fromEntries(members) as SensorThresholds
    },
    async write(key, members) {
      const { held, number } = placeOf(key)
      const before = held?.get(number) ?? {}
      try {
        for (const [name, wish] of Object.entries(members ?? {}) as [ThresholdName, { reading?: number }?][])
          if (wish?.reading !== undefined && wish.reading !== before[name]) await held!.set(number, name, wish.reading)
      } catch (error) {
        throw explain(error as HalError, { kind: 'sensorThreshold', sensor: key }, store.log)
      }
    },
    on(listener) {
      const ends = [...all].map(([id, held]) =>
        held.on((number) => {
          if (listener(thresholdsKey(id, number)) !== undefined)
            void events.emit(event('ResourceEvent.ResourceChanged', uriOf(id, number)))
        })
      )
      return () => {
        for (const end of ends) end()
      }
    }
  })
  return { close }
}
