import type { Board } from '#data/board'
import { replaceFile } from '#runtime/base/files.ts'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { type Command, type Event, event, fail, merged, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** The listeners of the service, each on a port. */
export interface Ports {
  /**
   * Listens on one more port, or goes on to.
   *
   * @returns the port, which differs from the one asked for when that was 0
   * @throws Error in one line when it cannot be had
   */
  open(port: number): Promise<number>
  /** Closes all others, once their clients had time to hear of it. */
  keepOnly(ports: readonly number[]): void
}

interface Dependencies {
  readonly store: Store
  readonly board: Board
  readonly events: Events
  /** Has the port that clients are to come to, in a line; empty for none. */
  readonly file: string
}

/**
 * The port of HTTPS: that of the configuration, until a client names another. While a change is on trial the service
 * listens on both ports, so that going back cannot fail; a client who logs in over the new one keeps it. A change that is
 * on trial when the service starts is tried anew.
 */
export class HttpsPort {
  readonly #parts: Dependencies
  readonly #uri: string
  readonly #turns = new SerialQueue()
  #ports: Ports | undefined
  /** That of the configuration; once it was listened on, never 0. */
  #configured = 0
  /** The content of the file. */
  #told: number | undefined
  #late: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: Dependencies) {
    this.#parts = parts
    const [manager = ''] = Object.keys(parts.board.managers)
    this.#uri = `/redfish/v1/Managers/${manager}/NetworkProtocol`
  }

  /** The port that clients are to come to. */
  get port(): number {
    return this.#settings?.port ?? this.#configured
  }

  /**
   * Begins to listen.
   *
   * @param isNamed whether whoever starts the service wants this port, whatever clients have set
   * @returns the port of the configuration, which differs from the one given when that was 0
   * @throws Error in one line when the port cannot be had
   */
  async open(ports: Ports, configured: number, isNamed: boolean): Promise<number> {
    this.#ports = ports
    this.#configured = configured
    if (isNamed && this.#settings !== undefined) await this.#parts.store.commit({ httpsPort: { settings: null } })
    const { trial } = this.#settings ?? {}
    if (trial == null) await this.#listen(this.#settings?.port ?? null)
    else {
      await this.#listen(trial.before)
      try {
        await this.#listen(this.port)
      } catch (error) {
        this.#parts.store.log.error((error as Error).message)
        await this.#rollBack()
      }
    }
    this.#settle()
    return this.#configured
  }

  /**
   * Listens on another port, then stores it: a port that is in use, or cannot be written to the file, is refused.
   *
   * @throws MessageError 409 for such a port; 507 or 503 when it cannot be stored, and then all is as before
   */
  perform({ port, seconds }: Command<'moveHttps'>): Promise<void> {
    return this.#turns.run(async () => {
      const { store } = this.#parts
      try {
        await this.#listen(port)
        this.#tell(port)
      } catch (error) {
        this.#keepNeeded()
        store.log.warning((error as Error).message)
        fail(409, 'Base.PropertyValueResourceConflict', 'HTTPS/Port', String(port), this.#uri)
      }
      const present = this.#settings
      // A change of one that is on trial goes back to what was before them both.
      const before = present?.trial ? present.trial.before : (present?.port ?? null)
      const trial = seconds === 0 || port === (before ?? this.#configured) ? null : { before, seconds }
      try {
        await store.commit({ httpsPort: { settings: { port, trial } } })
        store.log.info('the HTTPS port changes', { port, seconds })
      } finally {
        this.#settle()
      }
    })
  }

  /** A client who is known asks over this connection. Who comes to a port that is on trial knows of it. */
  reached(connection: { readonly localPort?: number | undefined } | undefined): void {
    if (!this.#isTried(connection)) return
    void this.#turns.run(async () => {
      if (!this.#isTried(connection)) return
      const kept = event('MgmtEvents.HttpsPortKept', this.#uri, String(this.port))
      await this.#try({ httpsPort: { settings: { trial: null } } }, kept)
    })
  }

  #isTried(connection: { readonly localPort?: number | undefined } | undefined): boolean {
    return this.#settings?.trial != null && connection?.localPort === this.port
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#late)
  }

  get #settings() {
    return this.#parts.store.get('httpsPort', 'settings')
  }

  /** @param port null for that of the configuration */
  async #listen(port: number | null): Promise<void> {
    const own = await this.#ports?.open(port ?? this.#configured)
    if (port === null && own !== undefined) this.#configured = own
  }

  /** @throws the system's error */
  #tell(port: number): void {
    const { file } = this.#parts
    if (file === '' || port === this.#told) return
    replaceFile(file, `${port}\n`)
    this.#told = port
  }

  /** Closes what is no longer needed, tells where clients are to come to, and waits for the end of a trial. */
  #settle(): void {
    this.#keepNeeded()
    try {
      this.#tell(this.port)
    } catch (error) {
      this.#parts.store.log.error('the HTTPS port was not written to the port file', {
        cause: (error as Error).message
      })
    }
    clearTimeout(this.#late)
    const { trial } = this.#settings ?? {}
    if (trial == null || this.#closed) return
    this.#late = setTimeout(() => void this.#turns.run(() => this.#rollBack()), trial.seconds * 1000)
    this.#late.unref()
  }

  #keepNeeded(): void {
    const { trial } = this.#settings ?? {}
    this.#ports?.keepOnly([this.port, ...(trial == null ? [] : [trial.before ?? this.#configured])])
  }

  /** Goes back to the port before a change that is on trial. */
  async #rollBack(): Promise<void> {
    const { port, trial } = this.#settings ?? {}
    if (trial == null || this.#closed) return
    const { before, seconds } = trial
    this.#parts.store.log.warning('a change of the HTTPS port is rolled back', { port })
    const settings = before === null ? null : { port: before, trial: null }
    const back = event('MgmtEvents.HttpsPortTakenBack', this.#uri, String(before ?? this.#configured), String(seconds))
    await this.#try({ httpsPort: { settings } }, back, event('ResourceEvent.ResourceChanged', this.#uri))
  }

  async #try(writes: Writes, ...told: readonly Event[]): Promise<void> {
    try {
      await this.#parts.store.commit(() => merged(writes, this.#parts.events.writes(told)))
      this.#settle()
    } catch (error) {
      this.#parts.store.log.error('the HTTPS port was not stored', { cause: (error as Error).message })
    }
  }
}
