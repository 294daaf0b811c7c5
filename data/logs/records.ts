import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<log>/<number>`, the number with ten digits: see `logPath`. */
    logEntry: LogEntry
    /** By log: what was collected last for those who are to find out what is wrong. */
    diagnosticData: DiagnosticData
  }
}

table('logEntry', { survives: ['restart', 'restStateReset'], waiting: 'all' })

table('diagnosticData', { survives: ['restart', 'restStateReset'] })

interface DiagnosticData {
  /** The key of the log's entry that leads to it. */
  entry: string
  /** JSON. */
  text: string
  /** Of the text, in bytes. */
  size: number
}

export interface LogEntry {
  /** ISO 8601. */
  created: string
  severity: 'OK' | 'Warning' | 'Critical'
  text: string
  /** With the registry's version. */
  messageId: string
  args: readonly string[]
  /** Of a condition: when it ended, in ISO 8601; `null` until then. Absent for what is no condition. */
  resolved?: string | null
}
