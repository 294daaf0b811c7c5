import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** What a user set for a temperature: by `<chassis>/<sensor number>/<Warning or Critical>`. */
    temperatureThreshold: TemperatureThreshold
  }
}

table('temperatureThreshold', { survives: ['restart', 'restStateReset'] })

export interface TemperatureThreshold {
  /** Degrees Celsius; `null` until the controller has started with it. */
  effective: number | null
  /** What is to be from the next start of the controller on. */
  pending: number | null
}
