import { type BoardChassis, type ThresholdName, thresholdNames } from '#data/board'
import {
  type AlertType,
  alertTypes,
  type BoardSensor,
  boardSensors,
  type Threshold,
  thresholdKey,
  thresholdsOf
} from '#data/sensors'
import type { State } from '#runtime/contract'

/** A threshold of a sensor, and what it means that it is exceeded. */
export interface Limit extends Threshold {
  readonly sensor: BoardSensor
  /** Its name: one of the standard's, or of the two that users set for temperatures. */
  readonly threshold: ThresholdName | AlertType
  /** Whether it counts only while the hosts of the chassis are on: without them, the sensor is below it. */
  readonly whileOn: boolean
}

/** Whether a reading above it is beyond it. */
export const isUpper = ({ threshold }: Limit) => !threshold.startsWith('Lower')

export const severityOf = ({ threshold }: Limit) =>
  threshold === 'Warning' || threshold.endsWith('Caution') ? 'Warning' : 'Critical'

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
  return new Map(boardSensors(board).map((sensor) => [sensor.number, limitsOfSensor(state, chassis, sensor)]))
}

/** Those of one sensor. */
export function limitsOfSensor(state: Pick<State, 'get'>, chassis: string, sensor: BoardSensor): readonly Limit[] {
  const users = alertTypes.flatMap((threshold): Limit[] => {
    const key = thresholdKey(chassis, sensor.number, threshold)
    const reading = state.get('temperatureThreshold', key)?.effective ?? null
    return reading === null ? [] : [{ sensor, threshold, reading, hysteresis: 2, dwell: 0, whileOn: false }]
  })
  const all = thresholdsOf(state, chassis, sensor)
  const own = thresholdNames.flatMap((threshold): Limit[] => {
    const found = all[threshold]
    if (found === undefined) return []
    const whileOn = threshold.startsWith('Lower') && sensor.standby <= found.reading
    return [{ sensor, threshold, ...found, whileOn }]
  })
  return [...users, ...own]
}

/** Whether a reading is beyond a threshold. @param wasBeyond as it was before */
export function isBeyond(limit: Limit, value: number, wasBeyond: boolean): boolean {
  const { reading, hysteresis } = limit
  if (!wasBeyond) return isUpper(limit) ? value >= reading : value <= reading
  return isUpper(limit) ? value >= reading - hysteresis : value <= reading + hysteresis
}
