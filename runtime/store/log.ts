import process from 'node:process'
import { type Configuration, logLevels as levels } from '#data/configuration'

export type LogLevel = Configuration['log']

/** Of the process, as standard error is: services that share one share the other. */
let threshold = levels.indexOf('info')
const recent: string[] = []
let size = 0

/** Characters of the lines that are kept. */
const most = 32_768

/** Sets what is written: everything up to this level. */
export function setLogLevel(level: LogLevel): void {
  threshold = levels.indexOf(level)
}

/** Whether lines of a level are written: to be asked before a line is made whose fields cost something. */
export function logs(level: LogLevel): boolean {
  return levels.indexOf(level) <= threshold
}

/** Writes one JSON object on one line of standard error. Callers give no secrets: no bodies, no headers, no queries. */
export function log(level: LogLevel, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (!logs(level)) return
  const line = JSON.stringify({ time: new Date().toISOString(), level, message: text, ...fields })
  process.stderr.write(`${line}\n`)
  recent.push(line)
  size += line.length
  while (size > most) size -= recent.shift()!.length
}

/** The last lines that were written, oldest first. */
export function recentLog(): readonly string[] {
  return recent
}
