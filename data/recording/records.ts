import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** Changes by clients in resources that are only recorded: by path. */
    recorded: { changes: Readonly<Record<string, unknown>> }
  }
}

table('recorded', { survives: ['restart', 'restStateReset'] })
