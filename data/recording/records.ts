import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** Changes in recorded resources: by path. */
    recorded: RecordedChanges
  }
}

table('recorded', { survives: ['restart', 'restStateReset'] })

interface RecordedChanges {
  /** New values, by clients, of members that the service does not have itself. */
  readonly changes?: Readonly<Record<string, unknown>>
  /** The members that the service itself has taken, with slashes between a member and its own. */
  readonly set?: readonly string[]
  /** Members that follow the state of the rack. They are derived, and never stored. */
  readonly derived?: Readonly<Record<string, unknown>>
}
