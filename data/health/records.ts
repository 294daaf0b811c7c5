import type { LogEntry } from '#data/logs'
import { type State, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** The present faults of parts, by `<origin>#<name>`. An event that `raises` one stores it; one that `clears` it removes it. */
    condition: Condition
  }
}

table('condition', { survives: ['restart', 'restStateReset', 'factoryReset'], waiting: 'all' })

export interface Condition extends LogEntry {
  /** The canonical URI of the part, without a trailing slash. */
  origin: string
  /** The key of its log entry; absent without one. */
  entry?: string
}

/** The key of a condition of a part. */
export const conditionKey = (origin: string, name: string) => `${origin}#${name}`

/** Whether a part has a condition of a name. */
export const hasCondition = (state: Pick<State, 'get'>, part: string, name: string) =>
  state.get('condition', conditionKey(part, name)) !== undefined
