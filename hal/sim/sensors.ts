import { Listeners } from '#runtime/base/listeners.ts'
import { Memory, type SimOptions } from '../memory.ts'
import type { Power } from '../power.ts'
import type { PowerLimit } from '../power-limit.ts'
import { Readings } from '../readings.ts'
import { type PartFault, partFaults, roundedReading, type Sensor, type Sensors } from '../sensors.ts'
import { chance } from './chance.ts'
import { type Faults, Gate, simOptions } from './faults.ts'
import { SimPartCounters } from './part-counters.ts'

interface SensorFaults extends Faults {
  /** The numbers of sensors that cannot be read. */
  unreadable?: readonly number[] | undefined
  /** Fixed readings of sensors, by their numbers. */
  stuckAt?: Readonly<Record<number, number>> | undefined
  /** Faults of parts, by the names of these. A fan that is stopped or slow, and a power supply without power, show it. */
  parts?: Readonly<Record<string, PartFault>> | undefined
  /** While true, the load does not follow a power limit. */
  ignoreLimit?: boolean | undefined
  /** While true, all sensors go on showing what they show, also after the process has ended. */
  stale?: boolean | undefined
}

export interface SimSensorsOptions extends SimOptions {
  readonly sensors: readonly Sensor[]
  /** Of the host beside the sensors; without one the machine is always on. */
  readonly host?: Pick<Power, 'state'> | undefined
  /** The power follows it, and the load with the power. */
  readonly limit?: Pick<PowerLimit, 'watts'> | undefined
  /** Machines with the same seed are alike at the same time. Default 1. */
  readonly seed?: number | undefined
  /** Milliseconds since 1970; the system's clock where none is given. */
  readonly now?: (() => number) | undefined
  /** Parts that do nothing, such as a link that nothing is plugged into: `links/hba-1/2`. */
  readonly idle?: readonly string[] | undefined
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
        description: 'Fixed readings, by sensor number'
      },
      parts: {
        type: 'object',
        properties: {},
        additionalProperties: { type: 'string', enum: partFaults },
        description: 'Faults of parts, by their names: drives/DE00C000/1, memory/proc1dimm1, powerSupplies/1, fans/21'
      },
      ignoreLimit: { type: 'boolean', description: 'The load does not follow a power limit' },
      stale: { type: 'boolean', description: 'All sensors keep their present readings' }
    }),
    idle: { type: 'array', items: { type: 'string' }, description: 'Parts that do nothing: links/hba-1/2' },
    seed: {
      type: 'integer',
      description: 'Machines with the same seed have the same readings at the same time; default 1'
    }
  }
} as const

export interface SimSensors extends Sensors {
  /** Faults of the sensors; set or delete its properties at any time. */
  readonly faults: SensorFaults
}

/** Seconds in which a temperature covers two thirds of the way to its new value (the time constant). */
const warmingTime = 60

/** The share of a reading that a fault of its part leaves. */
const left: { readonly [F in PartFault]?: number } = { stopped: 0, failed: 0, inputLost: 0, slow: 0.1 }

/** Seconds from one point of the load's curve to the next. */
const step = 45

/**
 * Simulated sensors. The load of the host goes up and down along a curve that seed and clock alone decide; power follows
 * it at once, temperatures slowly, and fans the temperatures. A machine that was running before is at its temperatures.
 */
export function simSensors(options: SimSensorsOptions): SimSensors {
  const { name = 'sensors', timeout = 2000, sensors, host, limit, idle = [], seed = 1, now = Date.now } = options
  const faults = { ...options.faults }
  const gate = new Gate(name, faults, timeout)
  const listeners = new Listeners<ReadonlySet<number>>()
  const busy: Curve = { number: 0, from: 0, to: 0 }
  const simulated = sensors.map(
    (sensor): Simulated => ({ sensor, number: sensor.number, from: 0, to: 0, warm: Number.NaN })
  )
  const curves = [busy, ...simulated]
  const ofKind = (wanted: Sensor['kind']) => simulated.filter(({ sensor }) => sensor.kind === wanted)
  const [temperatures, fans] = [ofKind('temperature'), ofKind('fan')]
  const [supplies, loads] = [ofKind('power'), ofKind('load')]
  const others = simulated.filter((each) => ![temperatures, fans, supplies, loads].some((all) => all.includes(each)))
  const warming = temperatures.filter(({ sensor: { on, standby } }) => on > standby)
  const readings = new Readings()
  const memory = new Memory<Kept>(name, options)
  /** The readings that stale sensors go on showing. */
  let held = memory.load(isKept)?.held
  let last: number | undefined
  let point = Number.NaN
  let part = 0
  let partFaultsSeen: Readonly<Record<string, PartFault>> = {}
  const parts = new SimPartCounters(seed, idle)
  let isThrottled = false

  /** Where each curve is between its two points, 0 to 1. These are computed once for all sensors: all are read often. */
  const move = (at: number) => {
    const place = at / 1000 / step
    if (Math.floor(place) !== point) {
      point = Math.floor(place)
      for (const curve of curves) {
        curve.from = chance(seed, curve.number, point)
        curve.to = chance(seed, curve.number, point + 1)
      }
    }
    const way = place - point
    part = way * way * (3 - 2 * way)
  }
  const settle = (at: number, isOn: boolean) => {
    const share = last === undefined ? 1 : 1 - Math.exp(-Math.max(0, at - last) / 1000 / warmingTime)
    last = at
    for (const each of temperatures) {
      const target = wanted(each.sensor, isOn, 0.9 + 0.2 * height(each, part))
      each.warm = Number.isNaN(each.warm) ? target : each.warm + (target - each.warm) * share
    }
  }
  /** How far the temperatures are from standby to what is usual: 0 to about 1. */
  const warmth = () => {
    if (warming.length === 0) return 1
    let sum = 0
    for (const {
      warm,
      sensor: { on, standby }
    } of warming)
      sum += (warm - standby) / (on - standby)
    return sum / warming.length
  }
  const measure = (isOn: boolean) => {
    const load = height(busy, part)
    const air = warmth()
    const show = ({ kind, number }: Sensor, value: number) => readings.set(number, roundedReading(kind, value))
    for (const { sensor, warm } of temperatures) show(sensor, warm)
    for (const { sensor } of fans) show(sensor, Math.min(100, wanted(sensor, true, air)))
    for (const { sensor } of supplies) show(sensor, wanted(sensor, isOn, 0.8 + 0.4 * load))
    for (const each of loads) {
      const own = 0.8 * load + 0.2 * height(each, part)
      show(each.sensor, Math.min(100, wanted(each.sensor, isOn, 0.4 + 1.2 * own)))
    }
    for (const each of others) show(each.sensor, wanted(each.sensor, isOn, 0.99 + 0.02 * height(each, part)))
    isThrottled = limit?.watts !== undefined && !faults.ignoreLimit && throttle(sensors, readings, limit.watts)
  }
  const observe = () => {
    const at = now()
    const isOn = host === undefined || host.state === 'On' || host.state === 'PoweringOff'
    if (last !== undefined) {
      const seconds = Math.max(0, at - last) / 1000
      parts.count(seconds, isOn ? seconds * (0.2 + 0.8 * height(busy, part)) : 0, isThrottled, partFaultsSeen)
    }
    move(at)
    settle(at, isOn)
    measure(isOn)
  }
  const hold = (wanted: Kept['held']) => {
    if (wanted !== held) memory.save({ held: wanted })
    held = wanted
  }

  return {
    faults,
    get partFaults() {
      return partFaultsSeen
    },
    read: (number) => readings.get(number),
    counts: always,
    counters: (kind, name) => parts.of(kind, name),
    async poll() {
      try {
        await gate.accept('poll')
        if (!faults.stale || (held === undefined && readings.isEmpty)) observe()
        hold(faults.stale ? (held ?? [...readings]) : undefined)
        for (const [number, value] of held ?? []) readings.set(number, value)
        partFaultsSeen = faults.parts ?? {}
        for (const [part, fault] of Object.entries(partFaultsSeen)) {
          for (const { number } of sensors.filter((sensor) => sensor.part === part)) {
            readings.set(number, Math.round((readings.get(number) ?? 0) * (left[fault] ?? 1)))
          }
        }
        for (const [number, value] of Object.entries(faults.stuckAt ?? {})) readings.set(Number(number), value)
        for (const number of faults.unreadable ?? []) readings.delete(number)
      } catch (error) {
        readings.clear()
        throw error
      } finally {
        listeners.emit(readings.changes())
      }
    },
    on: (listener) => listeners.add(listener),
    async close() {
      gate.close()
      listeners.clear()
    }
  }
}

const always = () => true

/** Takes as much from the load as keeps all power together below a limit. @returns whether that is any */
function throttle(all: readonly Sensor[], readings: Readings, watts: number): boolean {
  let [drawn, least] = [0, 0]
  for (const { kind, number, standby } of all) {
    if (kind !== 'power') continue
    drawn += readings.get(number) ?? 0
    least += standby
  }
  if (drawn <= watts || drawn <= least) return false
  const share = Math.max(0, watts - least) / (drawn - least)
  for (const { number, kind, standby } of all) {
    const reading = readings.get(number) ?? 0
    if (kind === 'power' || kind === 'load') readings.set(number, Math.floor(standby + (reading - standby) * share))
  }
  return true
}

/** By the numbers of sensors. */
interface Kept {
  readonly held?: readonly (readonly [number, number])[] | undefined
}

function isKept(kept: unknown): kept is Kept {
  const { held = [] } = (kept ?? {}) as { held?: unknown }
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite)
  return Array.isArray(held) && held.every(isPair)
}

function wanted({ on, standby }: Sensor, isOn: boolean, factor: number): number {
  return isOn ? standby + (on - standby) * factor : standby
}

/** A sensor with its own curve and, of a temperature, how warm it is. */
type Simulated = Curve & { readonly sensor: Sensor; warm: number }

/** A smooth line from 0 to 1 over time, another one for each number: the points that the present is between. */
interface Curve {
  readonly number: number
  from: number
  to: number
}

function height({ from, to }: Curve, part: number): number {
  return from + (to - from) * part
}
