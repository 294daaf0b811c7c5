import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By chassis id; without an `indicator` the lamp blinks where the chassis is to be found. */
    chassis: { locating: boolean; indicator?: 'Off' | 'Lit' | 'Blinking'; assetTag?: string }
  }
}

table('chassis', { survives: ['restart', 'restStateReset'] })
