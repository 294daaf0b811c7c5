import { type LogEntry, logKey, logKeys, logNumber } from '#data'
import type { State, Writes } from './handler.ts'

type Keys = Pick<State, 'keys'>

/**
 * The writes that put an entry at the end of a log, whose oldest entries give way beyond `most`.
 *
 * @param log see `logPath`
 */
export function logEntry(state: Keys, log: string, entry: LogEntry, most: number): Writes {
  const present = logKeys(state.keys('logEntry'), log)
  const oldest = present.slice(0, Math.max(0, present.length + 1 - most))
  return { logEntry: { ...gone(oldest), [next(log, present)]: entry } }
}

/** The writes that empty a log but for one entry, which says so and keeps the numbers from beginning anew. */
export function clearLog(state: Keys, log: string, created: string, user: string): Writes {
  const present = logKeys(state.keys('logEntry'), log)
  const entry: LogEntry = { created, severity: 'OK', text: `The log was cleared by ${user}.` }
  return { logEntry: { ...gone(present), [next(log, present)]: entry } }
}

function next(log: string, present: readonly string[]): string {
  return logKey(log, logNumber(present.at(-1) ?? logKey(log, 0)) + 1)
}

function gone(keys: readonly string[]): { [key: string]: null } {
  return Object.fromEntries(keys.map((key) => [key, null]))
}
