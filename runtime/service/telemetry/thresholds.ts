import type { Board, BoardTemperature } from '#data/board'
import { type AlertType, alertTypes, thermalUri, thresholdKey } from '#data/sensors'
import type { Sensors } from '#hal/sensors.ts'
import { type Event, event, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices } from '../machine/machine.ts'

/** Hysteresis in degrees Celsius: a temperature must fall this far below a threshold before it can exceed it again. */
const hysteresis = 2

interface Threshold {
  readonly temperature: BoardTemperature
  /** Of the temperature among those of its chassis. */
  readonly index: number
  readonly name: AlertType | 'UpperThresholdCritical' | 'UpperThresholdFatal'
  readonly limit: number
  readonly level: 'Warning' | 'Error'
  isExceeded: boolean
}

/** The message of each level: its severity is that of the log entry. */
const exceeded = {
  Warning: 'MgmtEvents.TemperatureThresholdExceeded',
  Error: 'MgmtEvents.TemperatureCriticalThresholdExceeded'
} as const

/** The writes with which what users set for temperatures takes effect: at each start of the controller. */
export function effectiveThresholds(store: Pick<Store, 'get' | 'keys'>): Writes {
  const waiting = store.keys('temperatureThreshold').flatMap((key) => {
    const pending = store.get('temperatureThreshold', key)?.pending ?? null
    return pending === null ? [] : [[key, { effective: pending, pending: null }] as const]
  })
  return { temperatureThreshold: Object.fromEntries(waiting) }
}

/** Watches the temperatures of a board, and tells when one goes beyond a threshold and when it is back. */
export class Thresholds {
  readonly #events: Pick<Events, 'emit'>
  readonly #of: ReadonlyMap<string, readonly Threshold[]>

  constructor(store: Pick<Store, 'get'>, { chassis }: Board, events: Pick<Events, 'emit'>) {
    this.#events = events
    const all = Object.entries(chassis)
    this.#of = new Map(
      all.map(([id, { temperatures }]) => [id, temperatures.flatMap((each, at) => thresholds(store, id, each, at))])
    )
  }

  watch(devices: Pick<Devices, 'sensors'>): void {
    for (const [chassis, sensors] of devices.sensors) {
      const watched = this.#of.get(chassis) ?? []
      sensors.on(() => this.#check(chassis, watched, sensors))
    }
  }

  #check(chassis: string, watched: readonly Threshold[], sensors: Sensors): void {
    const events: Event[] = []
    for (const each of watched) {
      const reading = sensors.read(each.temperature.number)
      if (reading === undefined) continue
      if (each.isExceeded ? reading < each.limit - hysteresis : reading >= each.limit) {
        each.isExceeded = !each.isExceeded
        events.push(...crossed(chassis, each, reading))
      }
    }
    if (events.length > 0) void this.#events.emit(...events)
  }
}

/** A temperature has just gone beyond a threshold, or come back. */
function crossed(chassis: string, { temperature, index, name, limit, level, isExceeded }: Threshold, reading: number) {
  const origin = thermalUri(chassis)
  const property = `${origin}/#/Temperatures/${index}/ReadingCelsius`
  const value = String(reading)
  return isExceeded
    ? [
        event(exceeded[level], origin, temperature.name, value, name, String(limit)),
        event(`ResourceEvent.Resource${level}ThresholdExceeded`, origin, property, value)
      ]
    : [
        event('MgmtEvents.TemperatureThresholdCleared', origin, temperature.name, value, name),
        event(`ResourceEvent.Resource${level}ThresholdCleared`, origin, property, value)
      ]
}

/** The thresholds of a temperature that are in effect. */
function thresholds(
  store: Pick<Store, 'get'>,
  chassis: string,
  temperature: BoardTemperature,
  index: number
): Threshold[] {
  const { number, critical, fatal } = temperature
  const common = { temperature, index, isExceeded: false }
  const own = alertTypes.flatMap((name) => {
    const limit = store.get('temperatureThreshold', thresholdKey(chassis, number, name))?.effective ?? null
    return limit === null ? [] : [{ ...common, name, limit, level: name === 'Warning' ? 'Warning' : 'Error' } as const]
  })
  return [
    ...own,
    { ...common, name: 'UpperThresholdCritical', limit: critical, level: 'Error' },
    { ...common, name: 'UpperThresholdFatal', limit: fatal, level: 'Error' }
  ]
}
