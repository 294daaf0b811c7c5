import { table } from '#runtime/contract'
import type { Place } from './location.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By chassis id; without an `indicator` the lamp blinks where the chassis is to be found. */
    chassis: { locating: boolean; indicator?: 'Off' | 'Lit' | 'Blinking'; assetTag?: string; place?: Place }
  }
}

table('chassis', { survives: ['restart', 'restStateReset'] })
