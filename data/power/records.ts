import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** The limit of the power of a chassis, by its id. Without a record, nothing limits it. */
    powerLimit: PowerLimitRecord
  }

  interface Commands {
    /** `null`: nothing limits the power any more. */
    limitPower: { readonly chassis: string; readonly watts: number | null }
  }

  interface Machine {
    /** The limits that the power of a chassis can have, in watts; undefined if none can be set, or until they are known. */
    powerRange(chassis: string): { readonly minimum: number; readonly maximum: number } | undefined
  }
}

table('powerLimit', { survives: ['restart', 'restStateReset'] })

/** Reactions to a power that stays above the limit (DSP0268, Power). */
export const limitExceptions = ['NoAction', 'LogEventOnly', 'HardPowerOff'] as const

/** Each member as clients have set it. */
export interface PowerLimitRecord {
  /** Also while it is not in effect. Null, as `enabled`, while the program that holds the limit is away. */
  watts?: number | null
  enabled?: boolean | null
  exception?: (typeof limitExceptions)[number]
  /** Milliseconds that the power may be above the limit. */
  correction?: number
}
