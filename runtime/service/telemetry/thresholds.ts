import type { Board, BoardChassis, BoardTemperature } from '#data/board'
import { type AlertType, alertTypes, thermalUri, thresholdKey } from '#data/sensors'
import type { Sensors } from '#hal/sensors.ts'
import { type Event, event, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices } from '../machine/machine.ts'

/** Hysteresis in degrees Celsius: a temperature must fall this far below a threshold before it can exceed it again. */
const hysteresis = 2

interface Threshold {
  /** Of this threshold among all. */
  readonly key: string
  readonly name: AlertType | 'UpperThresholdCritical' | 'UpperThresholdFatal'
  readonly limit: number
  readonly level: 'Warning' | 'Error'
}

const none: readonly Event[] = []

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
  readonly #board: Board
  readonly #events: Pick<Events, 'emit'>
  readonly #exceeded = new Set<string>()
  readonly #of = new Map<BoardTemperature, readonly Threshold[]>()

  constructor(store: Pick<Store, 'get'>, board: Board, events: Pick<Events, 'emit'>) {
    this.#board = board
    this.#events = events
    for (const [chassis, { temperatures }] of Object.entries(board.chassis)) {
      for (const temperature of temperatures) this.#of.set(temperature, thresholds(store, chassis, temperature))
    }
  }

  watch(devices: Pick<Devices, 'sensors'>): void {
    for (const [chassis, sensors] of devices.sensors) {
      const { temperatures } = this.#board.chassis[chassis] as BoardChassis
      sensors.on(() => this.#check(chassis, temperatures, sensors))
    }
  }

  #check(chassis: string, temperatures: readonly BoardTemperature[], sensors: Sensors): void {
    const events: Event[] = []
    for (const [index, temperature] of temperatures.entries()) {
      const reading = sensors.read(temperature.number)
      if (reading === undefined) continue
      for (const each of this.#of.get(temperature) ?? []) {
        events.push(...this.#compare(chassis, temperature, index, each, reading))
      }
    }
    if (events.length > 0) void this.#events.emit(...events)
  }

  #compare(
    chassis: string,
    { name: of }: BoardTemperature,
    index: number,
    { key, name, limit, level }: Threshold,
    reading: number
  ): readonly Event[] {
    const wasExceeded = this.#exceeded.has(key)
    if (wasExceeded ? reading >= limit - hysteresis : reading < limit) return none
    const origin = thermalUri(chassis)
    const property = `${origin}/#/Temperatures/${index}/ReadingCelsius`
    const value = String(reading)
    if (!wasExceeded) {
      this.#exceeded.add(key)
      return [
        event(exceeded[level], origin, of, value, name, String(limit)),
        event(`ResourceEvent.Resource${level}ThresholdExceeded`, origin, property, value)
      ]
    }
    this.#exceeded.delete(key)
    return [
      event('MgmtEvents.TemperatureThresholdCleared', origin, of, value, name),
      event(`ResourceEvent.Resource${level}ThresholdCleared`, origin, property, value)
    ]
  }
}

/** The thresholds of a temperature that are in effect. */
function thresholds(
  store: Pick<Store, 'get'>,
  chassis: string,
  { number, critical, fatal }: BoardTemperature
): Threshold[] {
  const key = (name: Threshold['name']) => `${chassis}/${number}/${name}`
  const own = alertTypes.flatMap((name) => {
    const limit = store.get('temperatureThreshold', thresholdKey(chassis, number, name))?.effective ?? null
    return limit === null
      ? []
      : [{ key: key(name), name, limit, level: name === 'Warning' ? 'Warning' : 'Error' } as const]
  })
  return [
    ...own,
    { key: key('UpperThresholdCritical'), name: 'UpperThresholdCritical', limit: critical, level: 'Error' },
    { key: key('UpperThresholdFatal'), name: 'UpperThresholdFatal', limit: fatal, level: 'Error' }
  ]
}
