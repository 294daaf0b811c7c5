import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { replaceFile } from './files.ts'
import { Listeners } from './listeners.ts'
import { type LogLevel, logLevels } from './log-levels.ts'

/** Of the process, as standard error is. */
let threshold = logLevels.indexOf('info')

/** Characters of the lines that are kept. */
const most = 32_768

export interface LogLine {
  /** ISO 8601. */
  readonly time: string
  readonly level: LogLevel
  /** JSON. */
  readonly text: string
}

/** A log: its last lines, and those who hear of each. */
class Log {
  /** The last lines, oldest first. */
  readonly recent: string[] = []
  /** Those who want to hear of each line. They write no line themselves but of level `debug`. */
  readonly lines = new Listeners<LogLine>()
  /** Whether there are others than at the last look. */
  isNew = false
  readonly #most: number
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  add(line: LogLine): void {
    this.isNew = true
    this.#hold(line.text)
    this.lines.emit(line)
  }

  /** Puts lines before those that there are. */
  continue(before: readonly string[]): void {
    const since = this.recent.splice(0)
    this.#size = 0
    for (const text of [...before, ...since]) this.#hold(text)
  }

  /** Drops the lines so far, as a reset to factory defaults does. */
  forget(): void {
    this.recent.length = 0
    this.#size = 0
    this.isNew = true
  }

  #hold(text: string): void {
    this.recent.push(text)
    this.#size += text.length
    while (this.#size > this.#most) this.#size -= this.recent.shift()!.length
  }
}

const whole = new Log(most)

/** The log of a service. */
export interface ServiceLog {
  readonly log: typeof log
  /** The last lines that were written, oldest first. */
  recent(): readonly string[]
  readonly lines: Listeners<LogLine>
  /** Drops the lines so far. */
  forget(): void
}

/** Of a service that has its process for itself: all lines of the process are its own. */
export const processLog: ServiceLog = {
  log,
  recent: () => whole.recent,
  lines: whole.lines,
  forget: () => whole.forget()
}

/**
 * Of one of many services of a process: its lines are the process's too, and say whose they are.
 *
 * @param of fields of each line
 * @param most characters of the lines that are kept
 */
export function ownLog(of: Readonly<Record<string, unknown>>, most: number): ServiceLog {
  const own = new Log(most)
  return {
    log(level, text, fields) {
      const line = write(level, text, { ...of, ...fields })
      if (line !== undefined) own.add(line)
    },
    recent: () => own.recent,
    lines: own.lines,
    forget: () => own.forget()
  }
}

/** Sets what is written: everything up to this level. */
export function setLogLevel(level: LogLevel): void {
  threshold = logLevels.indexOf(level)
}

/** Whether lines of a level are written: to be asked before a line is made whose fields cost something. */
export function logs(level: LogLevel): boolean {
  return logLevels.indexOf(level) <= threshold
}

/** Writes one JSON object on one line of standard error. Callers give no secrets: no bodies, no headers, no queries. */
export function log(level: LogLevel, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
  write(level, text, fields)
}

function write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): LogLine | undefined {
  if (!logs(level)) return undefined
  const time = new Date().toISOString()
  const text = JSON.stringify({ time, level, message, ...fields })
  process.stderr.write(`${text}\n`)
  const line = { time, level, text }
  whole.add(line)
  return line
}

/**
 * Has the last lines outlive the process. Those of the one before come first from now on; the file is written anew at
 * the end of the process, unless it is killed, and at intervals when there are new lines.
 *
 * @param seconds between two writes
 */
export function keepLog(file: string, seconds: number): void {
  whole.continue(linesIn(file))
  const save = () => {
    if (!whole.isNew) return
    whole.isNew = false
    try {
      replaceFile(file, whole.recent.map((line) => `${line}\n`).join(''))
    } catch (error) {
      log('warning', 'the last lines of the log are not written down', { cause: (error as Error).message })
    }
  }
  setInterval(save, seconds * 1000).unref()
  process.once('exit', save)
}

function linesIn(file: string): string[] {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  } catch (error) {
    log('warning', 'the last lines of the log cannot be read', { cause: (error as Error).message })
    return []
  }
}
