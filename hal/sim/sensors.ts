import { Listeners } from '../listeners.ts'
import type { SimOptions } from '../memory.ts'
import type { Power } from '../power.ts'
import type { Sensor, Sensors } from '../sensors.ts'
import { type Faults, Gate, simOptions } from './faults.ts'

export interface SensorFaults extends Faults {
  /** The numbers of sensors that cannot be read. */
  unreadable?: readonly number[] | undefined
  /** Fixed readings of sensors, by their numbers. */
  stuckAt?: Readonly<Record<number, number>> | undefined
}

export interface SimSensorsOptions extends SimOptions {
  readonly sensors: readonly Sensor[]
  /** Of the host beside the sensors; without one the machine is always on. */
  readonly host?: Pick<Power, 'state'> | undefined
  /** Machines with the same seed are alike at the same time. Default 1. */
  readonly seed?: number | undefined
  /** Milliseconds since 1970; the system's clock where none is given. */
  readonly now?: (() => number) | undefined
  /** Faults from the start on. */
  readonly faults?: SensorFaults | undefined
}

/** {@link SimSensorsOptions} in a board file. */
export const simSensorsOptions = {
  type: 'object',
  properties: {
    ...simOptions({
      unreadable: { type: 'array', items: { type: 'integer' }, description: 'Numbers of sensors that cannot be read' },
      stuckAt: {
        type: 'object',
        properties: {},
        additionalProperties: { type: 'number' },
        description: 'What sensors show whatever the machine does, by their numbers'
      }
    }),
    seed: { type: 'integer', description: 'Machines with the same seed are alike at the same time; default 1' }
  }
} as const

export interface SimSensors extends Sensors {
  /** Faults of the sensors; set or delete its properties at any time. */
  readonly faults: SensorFaults
}

/** The state of the machine that its sensors follow. */
interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly on: boolean
  /** How far the temperatures are from standby to what is usual: 0 to about 1. */
  readonly warmth: number
  /** Of the host: 0 to 1. */
  readonly load: number
}

/** Seconds in which what is warm comes two thirds of the way to where it is going (the time constant). */
const warming = 60

/** Seconds from one point of the load's curve to the next. */
const step = 45

/**
 * Simulated sensors. The load of the host goes up and down along a curve that seed and clock alone decide; power follows
 * it at once, temperatures slowly, and fans the temperatures. A machine that was running before is at its temperatures.
 */
export function simSensors(options: SimSensorsOptions): SimSensors {
  const { name = 'sensors', timeout = 2000, sensors, host, seed = 1, now = Date.now } = options
  const faults = { ...options.faults }
  const gate = new Gate(name, faults, timeout)
  const listeners = new Listeners<void>()
  const warm = new Map<number, number>()
  const temperatures = sensors.filter(({ kind }) => kind === 'temperature')
  let readings = new Map<number, number>()
  let last: number | undefined

  const settle = (at: number, on: boolean) => {
    const share = last === undefined ? 1 : 1 - Math.exp(-Math.max(0, at - last) / 1000 / warming)
    last = at
    for (const sensor of temperatures) {
      const target = wanted(sensor, on, 0.9 + 0.2 * curve(seed, sensor.number, at))
      const present = warm.get(sensor.number) ?? target
      warm.set(sensor.number, present + (target - present) * share)
    }
  }
  const warmth = () => {
    const ranges = temperatures.filter(({ on, standby }) => on > standby)
    const parts = ranges.map(({ number, on, standby }) => ((warm.get(number) ?? standby) - standby) / (on - standby))
    return parts.length === 0 ? 1 : parts.reduce((sum, part) => sum + part, 0) / parts.length
  }
  const measure = (sensor: Sensor, { at, on, warmth, load }: Moment) => {
    const stuck = faults.stuckAt?.[sensor.number]
    if (stuck !== undefined) return stuck
    if (sensor.kind === 'temperature') return Math.round(warm.get(sensor.number) ?? sensor.standby)
    if (sensor.kind === 'fan') return Math.min(100, Math.round(sensor.standby + (sensor.on - sensor.standby) * warmth))
    if (sensor.kind === 'power') return Math.round(wanted(sensor, on, 0.8 + 0.4 * load))
    return Math.min(
      100,
      Math.round(wanted(sensor, on, 0.4 + 1.2 * (0.8 * load + 0.2 * curve(seed, sensor.number, at))))
    )
  }

  return {
    faults,
    read: (number) => readings.get(number),
    async poll() {
      try {
        await gate.accept('poll')
        const at = now()
        const on = host === undefined || host.state === 'On' || host.state === 'PoweringOff'
        settle(at, on)
        const moment = { at, on, warmth: warmth(), load: curve(seed, 0, at) }
        const readable = sensors.filter(({ number }) => !faults.unreadable?.includes(number))
        readings = new Map(readable.map((sensor) => [sensor.number, measure(sensor, moment)]))
      } catch (error) {
        readings = new Map()
        throw error
      } finally {
        listeners.emit()
      }
    },
    on: (listener) => listeners.add(listener),
    async close() {
      gate.close()
      listeners.clear()
    }
  }
}

function wanted({ on, standby }: Sensor, isOn: boolean, factor: number): number {
  return isOn ? standby + (on - standby) * factor : standby
}

/** A smooth line from 0 to 1 over time, another one for each `which`. */
function curve(seed: number, which: number, at: number): number {
  const place = at / 1000 / step
  const before = Math.floor(place)
  const part = place - before
  const smooth = part * part * (3 - 2 * part)
  const from = chance(seed, which, before)
  return from + (chance(seed, which, before + 1) - from) * smooth
}

/** A number from 0 to 1 that three integers decide: an integer hash by xor and multiplication. */
function chance(seed: number, which: number, place: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ Math.imul(which + 1, 0x85ebca6b) ^ Math.imul(place | 0, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
