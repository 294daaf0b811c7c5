import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By chassis id. */
    chassis: { locating: boolean }
  }
}

table('chassis', { survives: ['restart', 'restStateReset'] })
