import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** Changes by clients in recorded resources: by path. */
    recorded: RecordedChanges
  }
}

table('recorded', { survives: ['restart', 'restStateReset'] })

interface RecordedChanges {
  /** In what is only recorded. */
  readonly changes: Readonly<Record<string, unknown>>
  /** The members that the service itself has taken, with slashes between a member and its own. */
  readonly set?: readonly string[]
}
