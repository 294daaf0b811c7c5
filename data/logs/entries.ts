import type { State, Writes } from '#runtime/contract'
import { logKey, logKeys, logNumber } from './logs.ts'
import type { LogEntry } from './records.ts'

type Keys = Pick<State, 'keys'>

/**
 * The writes that put entries at the end of a log, whose oldest entries give way beyond `most`.
 *
 * @param log see `logPath`
 */
export function appendEntries(
  state: Keys,
  log: string,
  entries: readonly LogEntry[],
  most: number
): Required<Pick<Writes, 'logEntry'>> {
  const present = logKeys(state.keys('logEntry'), log)
  const oldest = present.slice(0, Math.max(0, present.length + entries.length - most))
  const last = logNumber(present.at(-1) ?? logKey(log, 0))
  const added = entries.map((entry, index) => [logKey(log, last + 1 + index), entry] as const)
  return { logEntry: { ...gone(oldest), ...Object.fromEntries(added) } }
}

/** The writes that empty a log. The event about it keeps the numbers of entries growing. */
export function clearLog(state: Keys, log: string): Writes {
  return { logEntry: gone(logKeys(state.keys('logEntry'), log)) }
}

function gone(keys: readonly string[]): { [key: string]: null } {
  return Object.fromEntries(keys.map((key) => [key, null]))
}
