import { type Board, type Configuration, type LogEntry, logPath } from '#data'
import type { PowerEvent } from '../hal/power.ts'
import { logEntry } from './event-log.ts'
import { log as diagnose } from './log.ts'
import type { Devices } from './machine.ts'
import type { Store } from './store.ts'

type Severity = LogEntry['severity']

const boots = { powerOn: 'The host began to boot after power-on.', reset: 'The host began to boot after a reset.' }

const powered: Readonly<Record<string, string>> = {
  On: 'The server is powered on.',
  Off: 'The server is powered off.'
}

/** Writes what happens into the logs that clients read. An entry that the disk refuses is lost, which is logged. */
export class Logbook {
  readonly #store: Store
  readonly #board: Board
  readonly #most: number
  readonly #now: () => number
  #tail: Promise<void> = Promise.resolve()

  constructor(store: Store, board: Board, configuration: Configuration, now: () => number) {
    this.#store = store
    this.#board = board
    this.#most = configuration.limits.logEntries
    this.#now = now
  }

  /** Follows the power of the hosts. */
  watch(devices: Devices): void {
    for (const [system, power] of devices.power) power.on((event) => this.#power(system, event))
  }

  /** An entry in the log of every manager. */
  managers(severity: Severity, text: string): Promise<void> {
    for (const id of Object.keys(this.#board.managers)) this.#append(logPath('Managers', id), severity, text)
    return this.#tail
  }

  /** Settles when all entries so far are on disk. */
  close(): Promise<void> {
    return this.#tail
  }

  #power(system: string, event: PowerEvent): void {
    const host = logPath('Systems', system)
    if (event.type === 'boot') this.#append(host, 'OK', boots[event.cause])
    if (event.type === 'nmi') this.#append(host, 'Warning', 'The host was sent a non-maskable interrupt.')
    const text = event.type === 'state' ? powered[event.state] : undefined
    const manager = this.#board.systems[system]?.manager
    if (text !== undefined && manager !== undefined) this.#append(logPath('Managers', manager), 'OK', text)
  }

  #append(log: string, severity: Severity, text: string): void {
    const entry = { created: new Date(this.#now()).toISOString(), severity, text }
    this.#tail = this.#tail
      .then(() => this.#commit(log, entry))
      .catch((error: Error) => {
        diagnose('error', 'a log entry is lost', { log, text, cause: error.message })
      })
  }

  /** Numbers are given in the turn of the commit: a client may clear the log meanwhile. */
  async #commit(log: string, entry: LogEntry): Promise<void> {
    const { revisions } = this.#store
    for (let written = false; !written; ) {
      const before = revisions.of('logEntry/')
      const writes = logEntry(this.#store, log, entry, this.#most)
      written = await this.#store.commit(writes, () => revisions.of('logEntry/') === before)
    }
  }
}
