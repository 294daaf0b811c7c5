import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Configuration } from '#data/configuration'
import type { Clock } from '#hal/clock.ts'
import { hex } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { fail, MessageError, message } from '#runtime/contract'

/** The only user: the administrator of all controllers, as long as they have their first password. */
const administrator = 'admin'

/** A login to the page of the fleet, which ends with the process. */
interface Session {
  readonly id: string
  /** By the clock that never leaps, in milliseconds. */
  usedAt: number
}

/** Who may use the page of the fleet: whoever knows its password, or the token of a session. */
export class Logins {
  readonly #password: Uint8Array
  readonly #configuration: Pick<Configuration, 'lockout' | 'limits' | 'sessionTimeout'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #ended = new Listeners<string>()
  /** By the digests of their tokens. */
  readonly #sessions = new Map<string, Session>()
  #failures = { count: 0, at: 0 }

  constructor(
    password: string,
    configuration: Pick<Configuration, 'lockout' | 'limits' | 'sessionTimeout'>,
    clock: Pick<Clock, 'elapsed'>
  ) {
    this.#password = digest(password)
    this.#configuration = configuration
    this.#clock = clock
  }

  /**
   * Begins a session.
   *
   * @throws MessageError 401 for a wrong name or password, and for a while after too many of them; 503 for too many sessions
   */
  logIn(user: unknown, password: unknown): { readonly id: string; readonly token: string } {
    this.#check(user, password)
    this.#forget()
    if (this.#sessions.size >= this.#configuration.limits.sessions) fail(503, 'Base.SessionLimitExceeded')
    const [id, token] = [hex(randomBytes(8)), hex(randomBytes(16))]
    this.#sessions.set(hex(digest(token)), { id, usedAt: this.#clock.elapsed() })
    return { id, token }
  }

  /** The session of a token, whose idle time begins anew. @throws MessageError 401 */
  use(token: string | undefined): string {
    this.#forget()
    const session = token === undefined ? undefined : this.#sessions.get(hex(digest(token)))
    if (session === undefined) throw new MessageError(401, [message('Base.NoValidSession')])
    session.usedAt = this.#clock.elapsed()
    return session.id
  }

  /** Ends a session, if there is one. */
  end(id: string): void {
    for (const [key, session] of this.#sessions)
      if (session.id === id && this.#sessions.delete(key)) this.#ended.emit(id)
  }

  /** Ends the sessions that were idle for too long. */
  #forget(): void {
    const before = this.#clock.elapsed() - this.#configuration.sessionTimeout * 1000
    for (const { id, usedAt } of [...this.#sessions.values()]) if (usedAt <= before) this.end(id)
  }

  /** Whether a session goes on. */
  isLive(id: string): boolean {
    this.#forget()
    return [...this.#sessions.values()].some((session) => session.id === id)
  }

  /** Calls `listener` with each session that ends; the function returned ends that. */
  onEnded(listener: (id: string) => void): () => void {
    return this.#ended.add(listener)
  }

  /** A lock-out is one of logins: it ends no session, so that guesses do not keep out who is logged in. */
  #check(user: unknown, password: unknown): void {
    const { threshold, duration, counterResetAfter } = this.#configuration.lockout
    const now = this.#clock.elapsed()
    const isLocked = threshold > 0 && this.#failures.count >= threshold
    if (now - this.#failures.at >= (isLocked ? duration : counterResetAfter) * 1000)
      this.#failures = { count: 0, at: now }
    else if (isLocked) refuse()
    const isRight = timingSafeEqual(digest(String(password)), this.#password)
    if (isRight && user === administrator) {
      this.#failures = { count: 0, at: now }
      return
    }
    this.#failures = { count: this.#failures.count + 1, at: now }
    refuse()
  }
}

function refuse(): never {
  fail(401, 'Mgmt.UnauthorizedLoginAttempt')
}

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest()
