import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** A threshold that a user set for a temperature: by `<chassis>/<sensor number>/<Warning or Critical>`. */
    temperatureThreshold: TemperatureThreshold
  }
}

table('temperatureThreshold', { survives: ['restart', 'restStateReset'] })

export interface TemperatureThreshold {
  /** Degrees Celsius; `null` until the controller has started with it. */
  effective: number | null
  /** The value from the next start of the controller on. */
  pending: number | null
}
