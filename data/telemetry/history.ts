import { child, resource } from '#data/resource'
import { sensorUri } from '#data/sensors'
import { formatDuration } from '#runtime/base/duration.ts'
import { type Infer, link, list, object } from '#runtime/contract'
import { type HistoryRange, historyRanges } from './history-ranges.ts'
import type { MetricProperty } from './telemetry.ts'

declare module '#runtime/contract' {
  interface Services {
    /** The readings of a chassis's sensors in each step of a range, the newest step last. */
    sensorHistory(chassis: string, range: HistoryRange): History
  }
}

/** The readings of a property in the steps of a range; NaN for a step without one. */
export interface Series {
  readonly property: MetricProperty
  readonly average: Float32Array
  readonly minimum: Float32Array
  readonly maximum: Float32Array
}

export interface History {
  /** Milliseconds since 1970 of the end of the last step; 0 before the first sample. */
  readonly end: number
  readonly series: readonly Series[]
}

const readings = list({ type: 'number', nullable: true })

const range = object({
  /** Of a step. */
  Interval: { type: 'string', format: 'duration', nullable: true, readonly: true },
  EndTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
  Series: list(
    object({
      Sensor: object({ '@odata.id': { type: 'string', readonly: true } }),
      Average: readings,
      Maximum: readings,
      Minimum: readings
    })
  )
})

export const sensorHistory = resource('VendorSensorHistory.v1_0_0', 'Earlier readings of the sensors of a chassis', {
  TenMinutes: range,
  Hour: range,
  Day: range
})

/** The link to the history of a chassis, from what its sensors show now. */
export const historyLink = child('SensorHistory')

/** A range of a history as the resource shows it: the steps since the first that was measured. */
export function showHistory(
  chassis: string,
  range: HistoryRange,
  { end, series }: History
): Infer<typeof sensorHistory>[HistoryRange] {
  const { step, steps } = historyRanges[range]
  const isMeasured = (at: number) => series.some(({ average }) => !Number.isNaN(average[at]))
  let first = 0
  while (first < steps && !isMeasured(first)) first += 1
  return {
    Interval: formatDuration(step),
    EndTime: end === 0 ? null : new Date(end).toISOString(),
    Series: series.map(({ property: { sensor }, average, minimum, maximum }) => ({
      Sensor: link(sensorUri(chassis, sensor)),
      Average: shown(average.subarray(first)),
      Maximum: shown(maximum.subarray(first)),
      Minimum: shown(minimum.subarray(first))
    }))
  }
}

/** To hundredths, which the samples hold exactly enough. */
const shown = (values: Float32Array) =>
  Array.from(values, (value) => (Number.isNaN(value) ? null : Math.round(value * 100) / 100))
