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

/** Seconds in which what is warm comes two thirds of the way to where it is going (the time constant). */
const warmingTime = 60

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
  const busy = curve(seed, 0)
  const simulated = sensors.map((sensor) => ({ ...sensor, curve: curve(seed, sensor.number), warm: Number.NaN }))
  const temperatures = simulated.filter(({ kind }) => kind === 'temperature')
  const warming = temperatures.filter(({ on, standby }) => on > standby)
  let readings = new Map<number, number>()
  let last: number | undefined

  const settle = (at: number, isOn: boolean) => {
    const share = last === undefined ? 1 : 1 - Math.exp(-Math.max(0, at - last) / 1000 / warmingTime)
    last = at
    for (const sensor of temperatures) {
      const target = wanted(sensor, isOn, 0.9 + 0.2 * sensor.curve(at))
      sensor.warm = Number.isNaN(sensor.warm) ? target : sensor.warm + (target - sensor.warm) * share
    }
  }
  /** How far the temperatures are from standby to what is usual: 0 to about 1. */
  const warmth = () => {
    if (warming.length === 0) return 1
    let sum = 0
    for (const { warm, on, standby } of warming) sum += (warm - standby) / (on - standby)
    return sum / warming.length
  }
  const measure = (at: number, isOn: boolean) => {
    const load = busy(at)
    const air = warmth()
    const measured = new Map<number, number>()
    for (const sensor of simulated) {
      const { number, kind, on, standby } = sensor
      if (faults.unreadable?.includes(number)) continue
      let value = faults.stuckAt?.[number]
      if (value === undefined) {
        if (kind === 'temperature') value = sensor.warm
        else if (kind === 'fan') value = Math.min(100, standby + (on - standby) * air)
        else if (kind === 'power') value = wanted(sensor, isOn, 0.8 + 0.4 * load)
        else value = Math.min(100, wanted(sensor, isOn, 0.4 + 1.2 * (0.8 * load + 0.2 * sensor.curve(at))))
        value = Math.round(value)
      }
      measured.set(number, value)
    }
    return measured
  }

  return {
    faults,
    read: (number) => readings.get(number),
    async poll() {
      try {
        await gate.accept('poll')
        const at = now()
        const isOn = host === undefined || host.state === 'On' || host.state === 'PoweringOff'
        settle(at, isOn)
        readings = measure(at, isOn)
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

/** A smooth line from 0 to 1 over time, another one for each `which`. It knows the two points that it is between. */
function curve(seed: number, which: number): (at: number) => number {
  let before = Number.NaN
  let from = 0
  let to = 0
  return (at) => {
    const place = at / 1000 / step
    if (Math.floor(place) !== before) {
      before = Math.floor(place)
      from = chance(seed, which, before)
      to = chance(seed, which, before + 1)
    }
    const part = place - before
    return from + (to - from) * part * part * (3 - 2 * part)
  }
}

/** A number from 0 to 1 that three integers decide: an integer hash by xor and multiplication. */
function chance(seed: number, which: number, place: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ Math.imul(which + 1, 0x85ebca6b) ^ Math.imul(place | 0, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
