import type { ThresholdName } from '#data/board'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** A threshold that a user set for a temperature: by `<chassis>/<sensor number>/<Warning or Critical>`. */
    temperatureThreshold: TemperatureThreshold
    /** Thresholds that clients set, over those of the board: by `<chassis>/<sensor number>`. */
    sensorThreshold: SensorThresholds
  }
}

table('temperatureThreshold', { survives: ['restart', 'restStateReset'] })

table('sensorThreshold', { survives: ['restart', 'restStateReset'] })

export type SensorThresholds = {
  [N in ThresholdName]?: { readonly reading?: number; readonly hysteresis?: number; readonly dwell?: number }
}

export interface TemperatureThreshold {
  /** Degrees Celsius; `null` until the controller has started with it. */
  effective: number | null
  /** The value from the next start of the controller on. */
  pending: number | null
}
