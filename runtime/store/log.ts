import process from 'node:process'

const levels = ['error', 'warning', 'info', 'debug'] as const

export type LogLevel = (typeof levels)[number]

/** Of the process, as standard error is: services that share one share the other. */
let threshold = levels.indexOf('info')

/** Sets what is written: everything up to this level. */
export function setLogLevel(level: LogLevel): void {
  threshold = levels.indexOf(level)
}

export function isLogLevel(value: unknown): value is LogLevel {
  return levels.includes(value as LogLevel)
}

/** Writes one JSON object on one line of standard error. Callers give no secrets: no bodies, no headers, no queries. */
export function log(level: LogLevel, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (levels.indexOf(level) > threshold) return
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message: text, ...fields })}\n`)
}
