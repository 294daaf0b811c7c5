import { type Session, sessionPolicy } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { type Clock, measured, timeOfDay } from '#hal/clock.ts'
import type { Caller, Members, Reader, Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { ClientCertificates } from '../certificates/client.ts'
import type { Accounts } from './credentials.ts'

/** A session's last use is stored when it is this part of the idle time off what is stored. */
const storedEvery = 0.1

/** How long a host may treat a session as valid, in milliseconds, and the cell for its last use. */
export interface UntilStored {
  readonly time: number
  readonly use?: Float64Array
}

/** Sessions by their tokens, and the owner of when each was last used. */
export class Sessions {
  readonly #store: Store
  readonly #accounts: Accounts
  readonly #certificates: Pick<ClientCertificates, 'standsFor'>
  readonly #configuration: Configuration
  readonly #clock: Clock
  readonly #byToken = new Map<string, string>()
  /**
   * When each session was last used, on the clock that never leaps: one cell for each, where a host that repeats answers
   * notes a use itself. `accessedAt` of the record follows at a distance, by the time of day, for the next process.
   */
  readonly #uses = new Map<string, Float64Array>()
  /** All cells in one buffer, which a host holds as a whole. A controller of a fleet may never have a session. */
  #cells: Float64Array | undefined
  readonly #freeCells: Float64Array[] = []
  /** How many cells were in use so far. */
  #taken = 0
  readonly #most: number
  #listed = -1

  constructor(
    store: Store,
    accounts: Accounts,
    certificates: Pick<ClientCertificates, 'standsFor'>,
    configuration: Configuration,
    clock: Clock
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#certificates = certificates
    this.#configuration = configuration
    this.#clock = clock
    const stored = store.keys('session')
    // An earlier process may have had a higher limit.
    this.#most = Math.max(configuration.limits.sessions, stored.length)
    for (const id of stored) this.#see(id)
    store.on('session', (id) => this.#see(id))
  }

  /** Seconds that a session may be idle. */
  get timeout(): number {
    return sessionPolicy(this.#store.get('sessionService', 'settings'), this.#configuration).timeout
  }

  members(reader: Reader): Members<'accessed'> {
    return {
      accessed: (session) => {
        reader.depends('session')
        return this.accessed(session)
      }
    }
  }

  /** When a session was last used, in milliseconds since 1970, as the clock is set now. */
  accessed(id: string): number {
    return timeOfDay(this.#clock, this.#lastUse(id))
  }

  /** The caller that a token makes, for whom the session's idle time begins anew. */
  find(token: string, address: string): Caller | undefined {
    const id = this.#index().get(this.#accounts.digest(token))
    if (id === undefined) return undefined
    const caller = this.current(id, address)
    if (caller === undefined) {
      this.#end([id])
      return undefined
    }
    this.#uses.get(id)?.fill(this.#clock.elapsed())
    this.#follow(id)
    return caller
  }

  /**
   * The caller of a session by the present state. Undefined if it is over: it was idle for too long, its account has
   * changed, the certificate that it was opened with stands for the user no longer, or the account needs a second factor by
   * now.
   */
  current(id: string, address: string): Caller | undefined {
    const session = this.#store.get('session', id)
    if (session === undefined || this.#expired(id)) return undefined
    const { user, certificate, secondFactor, generation } = session
    if (certificate !== undefined && !this.#certificates.standsFor(certificate, user)) return undefined
    const caller = this.#accounts.named({ account: user, session: id, certificate, secondFactor }, address)
    return caller?.generation === generation ? caller : undefined
  }

  /** As long as nothing is committed: until the last use of the session has to be stored again. */
  untilStored(id: string): UntilStored | undefined {
    const session = this.#store.get('session', id)
    const use = this.#uses.get(id)
    // The host cannot judge how long a certificate is valid for its user.
    if (session === undefined || session.certificate !== undefined || use === undefined) return undefined
    const time = this.#tolerance - Math.abs(this.#clock.now() - session.accessedAt)
    return { time: Math.max(0, Math.floor(time)), use }
  }

  /** Ends the sessions that are over. Of the others the store says when they were used, also once the clock was set. */
  tend(): void {
    const over = this.#store.keys('session').filter((id) => this.current(id, '') === undefined)
    if (over.length > 0) this.#end(over)
    for (const id of this.#store.keys('session')) if (!over.includes(id)) this.#follow(id)
  }

  /** Takes note of a session that is new, was there before this process, or has ended. */
  #see(id: string): void {
    const session = this.#store.get('session', id)
    const use = this.#uses.get(id)
    if (session === undefined) {
      this.#uses.delete(id)
      if (use !== undefined) this.#freeCells.push(use)
    } else if (use === undefined) {
      const free = this.#freeCells.pop() ?? this.#newCell()
      if (free !== undefined) this.#uses.set(id, free.fill(measured(this.#clock, session.accessedAt)))
    }
  }

  #newCell(): Float64Array | undefined {
    this.#cells ??= new Float64Array(this.#most)
    return this.#taken < this.#most ? this.#cells.subarray(this.#taken, ++this.#taken) : undefined
  }

  /** Beyond the limit of sessions there are no cells: such a session counts as never used, and ends. */
  #lastUse(id: string): number {
    return this.#uses.get(id)?.[0] ?? Number.NEGATIVE_INFINITY
  }

  #expired(id: string): boolean {
    return this.#clock.elapsed() - this.#lastUse(id) >= this.timeout * 1000
  }

  /** How far off the stored last use of a session may be, in milliseconds. */
  get #tolerance(): number {
    return this.timeout * 1000 * storedEvery
  }

  /** Until it is known which accounts there are, none is over for want of one. */
  #end(ids: readonly string[]): void {
    if (!this.#accounts.areKnown) return
    this.#later({ session: Object.fromEntries(ids.map((id) => [id, null])) })
  }

  #follow(id: string): void {
    const { accessedAt: stored } = this.#store.get('session', id) as Session
    const accessedAt = this.accessed(id)
    if (Math.abs(accessedAt - stored) > this.#tolerance) {
      this.#later({ session: { [id]: { accessedAt } } }, () => this.#store.get('session', id) !== undefined)
    }
  }

  /** Stores what no client waits for. */
  #later(writes: Writes, isCurrent?: () => boolean): void {
    this.#store.commit(writes, isCurrent).catch((error: Error) => {
      this.#store.log.error('the use of a session was not stored', { cause: error.message })
    })
  }

  #index(): ReadonlyMap<string, string> {
    const revision = this.#store.revisions.of('session/')
    if (revision !== this.#listed) {
      this.#listed = revision
      this.#byToken.clear()
      for (const id of this.#store.keys('session')) this.#byToken.set(this.#store.get('session', id)?.token ?? '', id)
    }
    return this.#byToken
  }
}
