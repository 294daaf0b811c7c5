import type { BoardChassis } from '#data/board'
import { alertTypes, fanUri, sensorUri, thresholdKey } from '#data/sensors'
import type { State } from '#runtime/contract'

/** A threshold of a sensor. */
export interface Limit {
  /** The canonical URI of the part whose health depends on it, without a trailing slash. */
  readonly part: string
  /** Of the sensor. */
  readonly number: number
  readonly name: string
  /** Of the threshold, unique among those of the part. */
  readonly threshold: string
  readonly value: number
  readonly isUpper: boolean
  readonly severity: 'Warning' | 'Critical'
  /** How far a reading must return before it can exceed the threshold again. */
  readonly hysteresis: number
  /** Seconds for which a reading must be beyond it. */
  readonly dwell: number
  /** Whether it counts only while the hosts of the chassis are on. */
  readonly whileOn: boolean
  readonly kind: 'temperature' | 'fan'
}

/** A temperature that hovers about a threshold, in degrees Celsius. */
const hysteresis = 2

/** The speed of a fan that stands still, in percent. */
const standstill = 1

/** Seconds that a fan has to reach its speed. */
const spinUp = 5

/** All thresholds of a chassis that are in effect: those of its board, and those that users set. */
export function limitsOf(state: Pick<State, 'get'>, chassis: string, { temperatures, fans }: BoardChassis): Limit[] {
  const ofTemperatures = temperatures.flatMap(({ number, name, critical, fatal }) => {
    const common = { part: sensorUri(chassis, number), number, name, kind: 'temperature', hysteresis } as const
    const upper = { ...common, isUpper: true, dwell: 0, whileOn: false }
    const users = alertTypes.flatMap((threshold): Limit[] => {
      const value = state.get('temperatureThreshold', thresholdKey(chassis, number, threshold))?.effective ?? null
      return value === null ? [] : [{ ...upper, threshold, value, severity: threshold }]
    })
    return [
      ...users,
      { ...upper, threshold: 'UpperThresholdCritical', value: critical, severity: 'Critical' } as const,
      { ...upper, threshold: 'UpperThresholdFatal', value: fatal, severity: 'Critical' } as const
    ]
  })
  const ofFans = fans.flatMap(({ number, name, standby }): Limit[] => {
    const common = { part: fanUri(chassis, number), number, name, kind: 'fan', hysteresis: 0, dwell: spinUp } as const
    const lower = { ...common, isUpper: false, whileOn: standby <= standstill }
    const slow = standby / 2
    return [
      { ...lower, threshold: 'LowerThresholdCritical', value: standstill, severity: 'Critical' },
      ...(slow <= standstill
        ? []
        : [{ ...lower, threshold: 'LowerThresholdNonCritical', value: slow, severity: 'Warning' } as const])
    ]
  })
  return [...ofTemperatures, ...ofFans]
}

/** Whether a reading is beyond a threshold. @param wasBeyond as it was before */
export function isBeyond({ value, isUpper, hysteresis }: Limit, reading: number, wasBeyond: boolean): boolean {
  const slack = wasBeyond ? hysteresis : 0
  if (isUpper) return wasBeyond ? reading >= value - slack : reading >= value
  return wasBeyond ? reading <= value + slack : reading <= value
}
