import { table } from '#runtime/contract'
import type { rackUnits } from './location.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By chassis id; without an `indicator` the lamp blinks where the chassis is to be found. */
    chassis: { locating: boolean; indicator?: 'Off' | 'Lit' | 'Blinking'; assetTag?: string; place?: Place }
  }
}

/** Where a chassis is: null where a client removed what it was. */
export interface Place {
  rack?: string | null
  /** The number of the lowest unit of the rack that it takes. */
  offset?: number | null
  units?: (typeof rackUnits)[number] | null
  row?: string | null
  /** On a label at the place. */
  serviceLabel?: string | null
}

table('chassis', { survives: ['restart', 'restStateReset'] })
