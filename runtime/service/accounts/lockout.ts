import { type AccountPolicy, accountPolicy, accountServiceUri, accountUri } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { type Clock, measured, timeOfDay } from '#hal/clock.ts'
import { event, MessageError, message } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** Names of no account that failed to log in and are remembered; a flood of them takes no more memory. */
const rememberedNames = 256

/** How far off the stored end of a lockout may be, in milliseconds. */
const exactness = 1000

/** The end of a lockout that there is not. */
const never = Number.NEGATIVE_INFINITY

interface Count {
  readonly count: number
  readonly at: number
}

/** Counts failed logins, reports them as events, and delays further attempts (DSP0266 13.3). */
export class Lockout {
  readonly #store: Store
  readonly #configuration: Configuration
  readonly #events: Events
  readonly #clock: Clock
  /**
   * Until when accounts are locked, by their ids, on the clock that never leaps, and what the store said when that was
   * worked out.
   */
  readonly #locks = new Map<string, { readonly stored: number; readonly until: number }>()
  /**
   * Failed logins of accounts, by their ids, and of names that are no account's, in small letters, as directories ignore
   * case: a flood of these pushes no account's counter out.
   */
  readonly #failures = new Map<string, Count>()
  readonly #otherFailures = new Map<string, Count>()
  /** Failures that events were sent for, by account. */
  readonly #announced = new Map<string, Count>()

  constructor(store: Store, configuration: Configuration, events: Events, clock: Clock) {
    this.#store = store
    this.#configuration = configuration
    this.#events = events
    this.#clock = clock
    for (const id of store.keys('account')) this.#see(id)
    store.on('account', (id) => this.#see(id))
  }

  /** Whether an account is locked after failed logins. */
  isLocked(id: string): boolean {
    return this.#lockedUntil(id) > this.#clock.elapsed()
  }

  /**
   * Refuses a login of who has failed too often.
   *
   * @param id absent if no account has the name
   * @throws MessageError 401 LoginAttemptDelayedSeconds
   */
  refuse(user: string, id: string | undefined): void {
    const { lockoutThreshold, lockoutDuration } = this.#policy
    const failed = id === undefined ? this.#otherFailures.get(user.toLowerCase()) : this.#failures.get(id)
    const counted = failed !== undefined && lockoutThreshold > 0 && failed.count >= lockoutThreshold
    const until = Math.max(
      id === undefined ? never : this.#lockedUntil(id),
      counted ? failed.at + lockoutDuration * 1000 : never
    )
    const seconds = Math.ceil((until - this.#clock.elapsed()) / 1000)
    if (seconds <= 0) return
    const delayed = message('Mgmt.LoginAttemptDelayedSeconds', String(seconds))
    throw new MessageError(401, [delayed], { 'Retry-After': String(seconds) })
  }

  /** Forgets the failures of who has logged in. @param id absent if no account has the name */
  succeeded(user: string, id: string | undefined): void {
    if (id === undefined) this.#otherFailures.delete(user.toLowerCase())
    else this.#failures.delete(id)
  }

  /**
   * Counts a failed login, and refuses it.
   *
   * @param id absent if no account has the name
   * @param refusal another answer than 401 UnauthorizedLoginAttempt
   * @throws MessageError the refusal
   */
  async failed(
    name: string,
    id: string | undefined,
    address: string,
    refusal = new MessageError(401, [message('Mgmt.UnauthorizedLoginAttempt')])
  ): Promise<never> {
    // A name that is no account's may be a password typed in the wrong place.
    const user = id === undefined ? undefined : name
    this.#store.log.warning('a login failed', { user, address, reason: refusal.messages[0]?.key })
    const { lockoutThreshold, lockoutDuration, lockoutCounterResetAfter } = this.#policy
    const now = this.#clock.elapsed()
    const [failures, key] = id === undefined ? [this.#otherFailures, name.toLowerCase()] : [this.#failures, id]
    const before = failures.get(key)
    const recent = before !== undefined && now - before.at < lockoutCounterResetAfter * 1000 ? before.count : 0
    const count = recent + 1
    failures.delete(key)
    failures.set(key, { count, at: now })
    this.#forget()
    this.#announce(id, name, address, now)
    if (id !== undefined && lockoutThreshold > 0 && count >= lockoutThreshold) {
      await this.#storeLock(id, this.#clock.now() + lockoutDuration * 1000)
      void this.#events.emit(event('MgmtEvents.AccountLocked', accountUri(id), name))
    }
    throw refusal
  }

  /**
   * Has the store say when lockouts end as the clock is set now, and forget those that are over: a restart knows no
   * more.
   */
  tend(): void {
    for (const id of this.#store.keys('account')) {
      const stored = this.#store.get('account', id)?.lockedUntil ?? 0
      const lockedUntil = this.isLocked(id) ? timeOfDay(this.#clock, this.#lockedUntil(id)) : 0
      if (Math.abs(lockedUntil - stored) <= exactness) continue
      void this.#storeLock(id, lockedUntil, () => this.#store.get('account', id)?.lockedUntil === stored)
    }
  }

  get #policy(): AccountPolicy {
    return accountPolicy(this.#store.get('accountService', 'settings'), this.#configuration)
  }

  /** Takes note of the lockout of an account, while the clock is that by which it was stored. */
  #see(id: string): void {
    if (this.#lockedUntil(id) === never) this.#locks.delete(id)
  }

  /** A lockout that was stored before the clock was set back does not last longer than one that begins now. */
  #lockedUntil(id: string): number {
    const stored = this.#store.get('account', id)?.lockedUntil ?? 0
    if (stored === 0) return never
    const known = this.#locks.get(id)
    if (known?.stored === stored) return known.until
    const until = measured(this.#clock, stored, this.#policy.lockoutDuration * 1000)
    this.#locks.set(id, { stored, until })
    return until
  }

  /** The count of failures remembers a lockout that the disk refuses to store. */
  async #storeLock(
    id: string,
    lockedUntil: number,
    isCurrent = () => this.#store.get('account', id) !== undefined
  ): Promise<void> {
    try {
      await this.#store.commit({ account: { [id]: { lockedUntil } } }, isCurrent)
      if (lockedUntil > 0) this.#failures.delete(id)
    } catch (error) {
      this.#store.log.error('a lockout was not stored', { cause: (error as Error).message })
    }
  }

  #forget(): void {
    if (this.#otherFailures.size > rememberedNames) {
      // The oldest of those with the fewest: a flood that is to have a count forgotten takes as many failures of each name.
      const [[name] = ['']] = [...this.#otherFailures].sort(([, a], [, b]) => a.count - b.count)
      this.#otherFailures.delete(name)
    }
    for (const id of this.#failures.keys()) {
      if (this.#store.get('account', id) === undefined) this.#failures.delete(id)
    }
  }

  /**
   * In the time after which failures are forgotten, no more events are sent than failures lock an account, for each
   * account and for all other names together.
   *
   * @param id absent if no account has the name
   */
  #announce(id: string | undefined, name: string, address: string, now: number): void {
    const { lockoutThreshold, lockoutCounterResetAfter } = this.#policy
    const most = lockoutThreshold || this.#configuration.lockout.threshold || 1
    const before = this.#announced.get(id ?? '')
    const recent = before !== undefined && now - before.at < lockoutCounterResetAfter * 1000
    const { count, at } = recent ? before : { count: 0, at: now }
    if (count >= most) return
    this.#announced.set(id ?? '', { count: count + 1, at })
    const [origin, user] = id === undefined ? [accountServiceUri, 'an unknown user'] : [accountUri(id), name]
    void this.#events.emit(event('MgmtEvents.LoginFailed', origin, user, address))
  }
}
