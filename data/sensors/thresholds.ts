import { type ThresholdName, thresholdNames } from '#data/board'
import { number } from '#data/resource'
import { duration, formatDuration, parseDuration } from '#runtime/base/duration.ts'
import { fail, type Infer, object, type State } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { sensorTypes } from './kinds.ts'
import type { BoardSensor } from './sensors.ts'

/** One threshold of a sensor. */
export interface Threshold {
  readonly reading: number
  /** How far a reading must return before it can exceed the threshold again. */
  readonly hysteresis: number
  /** Seconds for which a reading must be beyond it. */
  readonly dwell: number
}

type Thresholds = { readonly [N in ThresholdName]?: Threshold }

/** The lowest and the highest reading that a sensor can show. */
export function readingRange({ kind, minimum, maximum }: BoardSensor): readonly [least: number, most: number] {
  const [least, most] = sensorTypes[kind].range
  return [minimum ?? least, maximum ?? most]
}

/** The thresholds of a sensor: those of the board, and over them what clients have set. */
export function thresholdsOf(state: Pick<State, 'get'>, chassis: string, sensor: BoardSensor): Thresholds {
  return Object.fromEntries(
    settingsOf(state, chassis, sensor).flatMap(([name, { reading, ...settings }]) =>
      reading === undefined ? [] : [[name, { reading, ...settings }]]
    )
  )
}

/** The settings of all thresholds, also of those that the sensor does not have. */
function settingsOf(state: Pick<State, 'get'>, chassis: string, sensor: BoardSensor) {
  const set = state.get('sensorThreshold', thresholdsKey(chassis, sensor.number)) ?? {}
  const usual = sensorTypes[sensor.kind]
  const { hysteresis = usual.hysteresis, dwell = usual.dwell } = sensor
  return (sensor.held ?? thresholdNames).map(
    (name) => [name, { reading: sensor.limits[name], hysteresis, dwell, ...set[name] }] as const
  )
}

/** The key of what clients set for a sensor in the table `sensorThreshold`. */
export const thresholdsKey = (chassis: string, number: number) => `${chassis}/${number}`

const threshold = object({
  Activation: { type: 'string', enum: ['Increasing', 'Decreasing'], nullable: true, readonly: true },
  DwellTime: { type: 'string', pattern: duration.source, nullable: true, readonly: false },
  HysteresisReading: { type: 'number', minimum: 0, nullable: true, readonly: false },
  Reading: { type: 'number', nullable: true, readonly: false }
})

/** `Thresholds` of a sensor (DSP0268, Sensor). */
export const thresholds = object(
  Object.fromEntries(thresholdNames.map((name) => [name, threshold])) as {
    readonly [N in ThresholdName]: typeof threshold
  }
)

/** Those that the sensor has, and where clients may set them all that it can have. */
export function showThresholds(
  state: Pick<State, 'get'>,
  chassis: string,
  sensor: BoardSensor
): Infer<typeof thresholds> {
  const shown = settingsOf(state, chassis, sensor).filter(([, { reading }]) => reading !== undefined || sensor.writable)
  return Object.fromEntries(
    shown.map(([name, { reading, hysteresis, dwell }]) => [
      name,
      {
        Activation: name.startsWith('Upper') ? 'Increasing' : 'Decreasing',
        DwellTime: formatDuration(dwell),
        HysteresisReading: hysteresis,
        Reading: reading ?? null
      }
    ])
  )
}

/** The names of thresholds in `Thermal` and `Power`. */
const legacyNames = {
  LowerFatal: 'LowerThresholdFatal',
  LowerCritical: 'LowerThresholdCritical',
  LowerCaution: 'LowerThresholdNonCritical',
  UpperCaution: 'UpperThresholdNonCritical',
  UpperCritical: 'UpperThresholdCritical',
  UpperFatal: 'UpperThresholdFatal'
} as const

type Legacy<T> = { readonly [N in ThresholdName as (typeof legacyNames)[N]]: T }

export const legacyThresholds = Object.fromEntries(
  Object.values(legacyNames).map((name) => [name, number])
) as unknown as Legacy<typeof number>

export function showLegacyThresholds(all: Thresholds): Partial<Legacy<number>> {
  return Object.fromEntries(
    thresholdNames.flatMap((name) => (all[name] === undefined ? [] : [[legacyNames[name], all[name].reading]]))
  )
}

/** Seconds. */
const longestDwell = 3600

/**
 * The record with what a client wants. `null` gives a member back to the board.
 *
 * @throws MessageError 400 if the board does not let clients set thresholds, for a value that the sensor cannot show, and
 *   for thresholds that are not in order
 */
export function changeThresholds(
  state: Pick<State, 'get'>,
  chassis: string,
  sensor: BoardSensor,
  wish: Writable<typeof thresholds>
) {
  if (!sensor.writable) fail(400, 'Base.PropertyNotWritable', 'Thresholds')
  const key = thresholdsKey(chassis, sensor.number)
  const [least, most] = readingRange(sensor)
  const record = { ...state.get('sensorThreshold', key) }
  for (const name of thresholdNames) {
    const { Reading, HysteresisReading, DwellTime } = wish[name] ?? {}
    const path = `Thresholds/${name}`
    if (wish[name] !== undefined && sensor.held !== undefined) {
      if (!sensor.held.includes(name) || Reading === null) fail(400, 'Base.PropertyNotWritable', `${path}/Reading`)
      if (HysteresisReading !== undefined) fail(400, 'Base.PropertyNotWritable', `${path}/HysteresisReading`)
      if (DwellTime !== undefined) fail(400, 'Base.PropertyNotWritable', `${path}/DwellTime`)
    }
    if (Reading != null && (Reading < least || Reading > most)) {
      fail(400, 'Base.PropertyValueOutOfRange', String(Reading), `${path}/Reading`)
    }
    if (HysteresisReading != null && HysteresisReading > most - least) {
      fail(400, 'Base.PropertyValueOutOfRange', String(HysteresisReading), `${path}/HysteresisReading`)
    }
    const dwell = DwellTime == null ? DwellTime : (parseDuration(DwellTime) ?? Number.POSITIVE_INFINITY) / 1000
    if (dwell != null && dwell > longestDwell) {
      fail(400, 'Base.PropertyValueOutOfRange', String(DwellTime), `${path}/DwellTime`)
    }
    record[name] = changed(record[name], { reading: Reading, hysteresis: HysteresisReading, dwell })
  }
  checkOrder(thresholdsOf({ get: () => record as never }, chassis, sensor))
  return { sensorThreshold: { [key]: record } }
}

type Set = { readonly [M in keyof Threshold]?: Threshold[M] }

function changed(present: Set | undefined, wish: { [M in keyof Threshold]: Threshold[M] | null | undefined }): Set {
  const given = Object.entries(wish).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    Object.entries({ ...present, ...Object.fromEntries(given) }).filter(([, value]) => value !== null)
  )
}

function checkOrder(all: Thresholds): void {
  const present = thresholdNames.filter((name) => all[name] !== undefined)
  for (const [at, name] of present.entries()) {
    const next = present[at + 1]
    if (next !== undefined && (all[name] as Threshold).reading >= (all[next] as Threshold).reading) {
      fail(400, 'Base.PropertyValueConflict', `Thresholds/${name}/Reading`, `Thresholds/${next}/Reading`)
    }
  }
}
