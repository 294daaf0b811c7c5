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
  const places = new Map<string, { held: HeldThresholds; number: number; uri: string }>()
  for (const [id, { thresholds: held }] of devices.sensors) {
    const sensors = new Map(boardSensors(chassis[id]!).map((each) => [each.number, each.id]))
    for (const number of held?.sensors ?? [])
      places.set(thresholdsKey(id, number), { held: held!, number, uri: sensorUri(id, sensors.get(number) ?? '') })
  }
  if (places.size === 0) return { close: () => undefined }
  const close = store.attach('sensorThreshold', {
    members: thresholdNames,
    decides: false,
    keys: () => places.keys(),
    get(key) {
      const place = places.get(key)
      if (place === undefined) return undefined
      const readings = Object.entries(place.held.get(place.number))
      return Object.fromEntries(readings.map(([name, reading]) => [name, { reading }])) as SensorThresholds
    },
    async write(key, members) {
      const { held, number } = places.get(key)!
      const before = held.get(number)
      try {
        for (const [name, wish] of Object.entries(members ?? {}) as [ThresholdName, { reading?: number }?][])
          if (wish?.reading !== undefined && wish.reading !== before[name]) await held.set(number, name, wish.reading)
      } catch (error) {
        throw explain(error as HalError, { kind: 'sensorThreshold', sensor: key }, store.log)
      }
    },
    on(listener) {
      const ends = [...places].map(([key, { held, number, uri }]) =>
        held.on((sensor) => {
          if (sensor === number && listener(key) !== undefined)
            void events.emit(event('ResourceEvent.ResourceChanged', uri))
        })
      )
      return () => {
        for (const end of ends) end()
      }
    }
  })
  return { close }
}
