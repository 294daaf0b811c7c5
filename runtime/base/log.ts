import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { replaceFile } from './files.ts'
import { Listeners } from './listeners.ts'
import { type LogLevel, logLevels } from './log-levels.ts'

/** Of the process, as standard error is. */
let threshold = logLevels.indexOf('info')

export interface LogLine {
  /** ISO 8601. */
  readonly time: string
  readonly level: LogLevel
  /** JSON. */
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>

/**
 * A log: writes one JSON object for each line to standard error, and keeps the last lines. Callers give no secrets: no
 * bodies, no headers, no queries.
 */
export class Log {
  /** Those who want to hear of each line. They write no line themselves but of level `debug`. */
  readonly lines = new Listeners<LogLine>()
  readonly #most: number
  readonly #fields: Fields
  readonly #parent: Log | undefined
  readonly #recent: string[] = []
  #size = 0
  #dropped = 0
  /** Whether there are other lines than at the last save. */
  #isNew = false

  /**
   * @param most characters of the lines that are kept
   * @param fields of each line
   * @param parent the log that gets all lines as well
   */
  constructor(most: number, fields: Fields = {}, parent?: Log) {
    this.#most = most
    this.#fields = fields
    this.#parent = parent
  }

  error(text: string, fields?: Fields): void {
    this.#write('error', text, fields)
  }

  warning(text: string, fields?: Fields): void {
    this.#write('warning', text, fields)
  }

  info(text: string, fields?: Fields): void {
    this.#write('info', text, fields)
  }

  debug(text: string, fields?: Fields): void {
    this.#write('debug', text, fields)
  }

  /** The last lines, oldest first. */
  get recent(): readonly string[] {
    return this.#recent
  }

  /** How many lines have given way to them. */
  get dropped(): number {
    return this.#dropped
  }

  /** Drops the lines so far, as a reset to factory defaults does. */
  forget(): void {
    this.#dropped += this.#recent.length
    this.#recent.length = 0
    this.#size = 0
    this.#isNew = true
  }

  /**
   * Has the last lines outlive the process. Those of the one before come first from now on; the file is written anew at
   * the end of the process, unless it is killed, and at intervals when there are new lines.
   *
   * @param seconds between two writes
   */
  keep(file: string, seconds: number): void {
    const since = this.#recent.splice(0)
    this.#size = 0
    for (const text of [...this.#linesIn(file), ...since]) this.#hold(text)
    const save = () => {
      if (!this.#isNew) return
      this.#isNew = false
      try {
        replaceFile(file, this.#recent.map((line) => `${line}\n`).join(''))
      } catch (error) {
        this.warning('the last lines of the log are not written down', { cause: (error as Error).message })
      }
    }
    setInterval(save, seconds * 1000).unref()
    process.once('exit', save)
  }

  #linesIn(file: string): string[] {
    try {
      return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    } catch (error) {
      this.warning('the last lines of the log cannot be read', { cause: (error as Error).message })
      return []
    }
  }

  #write(level: LogLevel, message: string, fields: Fields = {}): void {
    if (!logs(level)) return
    const time = new Date().toISOString()
    const text = JSON.stringify({ time, level, message, ...this.#fields, ...fields })
    process.stderr.write(`${text}\n`)
    this.#add({ time, level, text })
  }

  #add(line: LogLine): void {
    if (this.#parent) this.#parent.#add(line)
    this.#isNew = true
    this.#hold(line.text)
    this.lines.emit(line)
  }

  #hold(text: string): void {
    this.#recent.push(text)
    this.#size += text.length
    while (this.#size > this.#most) {
      this.#size -= this.#recent.shift()!.length
      this.#dropped += 1
    }
  }
}

/** The log of the process, and of the service that has the process for itself. */
export const log = new Log(32_768)

/** Sets what is written: everything up to this level. */
export function setLogLevel(level: LogLevel): void {
  threshold = logLevels.indexOf(level)
}

/** Whether lines of a level are written: to be asked before a line is made whose fields cost something. */
export function logs(level: LogLevel): boolean {
  return logLevels.indexOf(level) <= threshold
}
