import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<log>/<number>`, the number with ten digits: see `logPath`. */
    logEntry: LogEntry
  }
}

table('logEntry', { survives: ['restart', 'restStateReset'], waiting: 'all' })

export interface LogEntry {
  /** ISO 8601. */
  created: string
  severity: 'OK' | 'Warning' | 'Critical'
  text: string
  /** With the registry's version. */
  messageId: string
  args: readonly string[]
}
