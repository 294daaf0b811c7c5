import { type BoardChassis, thresholdNames } from '#data/board'
import {
  alertTypes,
  type BoardSensor,
  boardSensors,
  measuredPart,
  type Threshold,
  thresholdKey,
  thresholdsOf
} from '#data/sensors'
import type { State } from '#runtime/contract'

/** A threshold, and what it means that it is exceeded. */
export interface Limit extends Threshold {
  /** The canonical URI of the part whose health depends on it, without a trailing slash. */
  readonly part: string
  /** The number and the `Id` of the sensor. */
  readonly number: number
  readonly sensor: string
  readonly name: string
  readonly kind: BoardSensor['kind']
  /** Of the threshold, unique among those of the part. */
  readonly threshold: string
  readonly isUpper: boolean
  readonly severity: 'Warning' | 'Critical'
  /** Whether it counts only while the hosts of the chassis are on: without them, the sensor is below it. */
  readonly whileOn: boolean
}

/** By the number of the sensor. */
export type Limits = ReadonlyMap<number, readonly Limit[]>

/** All thresholds of a chassis that are in effect: those of its sensors, and those that users set for temperatures. */
export function limitsOf(state: Pick<State, 'get' | 'keys'>, chassis: string, board: BoardChassis): Limits {
  const isSet = (['sensorThreshold', 'temperatureThreshold'] as const).some((table) => state.keys(table).length > 0)
  return isSet ? effective(state, chassis, board) : ofBoard(chassis, board)
}

/** Those of the boards of a fleet are the same as long as no client has set any. */
const known = new WeakMap<readonly BoardSensor[], Map<string, Limits>>()

function ofBoard(chassis: string, board: BoardChassis): Limits {
  const sensors = boardSensors(board)
  const limits = known.get(sensors)?.get(chassis) ?? effective({ get: () => undefined }, chassis, board)
  known.set(sensors, new Map([...(known.get(sensors) ?? []), [chassis, limits]]))
  return limits
}

function effective(state: Pick<State, 'get'>, chassis: string, board: BoardChassis): Limits {
  const limits = boardSensors(board).map((sensor): [number, readonly Limit[]] => {
    const { number, id, name, kind, standby } = sensor
    const common = { part: measuredPart(chassis, board, sensor), number, sensor: id, name, kind }
    const users = alertTypes.flatMap((threshold): Limit[] => {
      const reading = state.get('temperatureThreshold', thresholdKey(chassis, number, threshold))?.effective ?? null
      const upper = { isUpper: true, hysteresis: 2, dwell: 0, whileOn: false } as const
      return reading === null ? [] : [{ ...common, ...upper, threshold, reading, severity: threshold }]
    })
    const all = thresholdsOf(state, chassis, sensor)
    const own = thresholdNames.flatMap((threshold): Limit[] => {
      const found = all[threshold]
      if (found === undefined) return []
      const isUpper = threshold.startsWith('Upper')
      const severity = threshold.endsWith('Caution') ? 'Warning' : 'Critical'
      return [{ ...common, ...found, threshold, isUpper, severity, whileOn: !isUpper && standby <= found.reading }]
    })
    return [number, [...users, ...own]]
  })
  return new Map(limits)
}

/** Whether a reading is beyond a threshold. @param wasBeyond as it was before */
export function isBeyond(limit: Limit, value: number, wasBeyond: boolean): boolean {
  const { reading, isUpper, hysteresis } = limit
  if (!wasBeyond) return isUpper ? value >= reading : value <= reading
  return isUpper ? value >= reading - hysteresis : value <= reading + hysteresis
}
