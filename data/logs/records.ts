import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<log>/<number>`, the number with ten digits: see `logPath`. */
    logEntry: LogEntry
    /** By `<system>/<number of the boot>`, the number with ten digits: the last boots. */
    postCodes: PostCodesOfBoot
    /** By log: what was collected last for those who are to find out what is wrong. */
    diagnosticData: DiagnosticData
  }
}

table('logEntry', { survives: ['restart', 'restStateReset'], waiting: 'all' })

table('postCodes', { survives: ['restart', 'restStateReset'], waiting: 'all' })

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
  /** The canonical URI, without a trailing slash, of what a trigger measures; absent in other entries, whose arguments name it. */
  origin?: string
  /** Of a condition: when it ended, in ISO 8601; `null` until then. Absent for what is no condition. */
  resolved?: string | null
  /** In an SEL: the last six bytes of the record, from the type of the sensor on, in hex. */
  sel?: string
}

/** The POST codes that the firmware of a host reported during a boot. */
interface PostCodesOfBoot {
  /** ISO 8601. */
  started: string
  /** A byte each, in hex. */
  codes: string
  /** Of each code: milliseconds since the start. */
  times: readonly number[]
  /** Codes that have given way to them. */
  dropped: number
}
