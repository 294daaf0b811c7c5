import { type Session, sessionPolicy } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import type { Caller, Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Accounts } from './credentials.ts'

/** A session's last use is stored when it is this part of the idle time newer than what is stored. */
const storedEvery = 0.1

/** For how long a host may take a session for valid, in milliseconds, and where it notes each use of it. */
export interface UntilStored {
  readonly time: number
  readonly uses?: Float64Array
  readonly place?: number
}

/** Sessions by their tokens. When each was last used is memory's; the store follows at a distance. */
export class Sessions {
  readonly #store: Store
  readonly #accounts: Accounts
  readonly #configuration: Configuration
  readonly #now: () => number
  readonly #byToken = new Map<string, string>()
  readonly #accessed = new Map<string, number>()
  /** The last uses of sessions that a host notes itself, by the session's place. */
  readonly #noted: Float64Array
  readonly #places = new Map<string, number>()
  #listed = -1

  constructor(store: Store, accounts: Accounts, configuration: Configuration, now: () => number) {
    this.#store = store
    this.#accounts = accounts
    this.#configuration = configuration
    this.#now = now
    this.#noted = new Float64Array(configuration.limits.sessions)
  }

  /** Seconds that a session may be idle. */
  get timeout(): number {
    return sessionPolicy(this.#store.get('sessionService', 'settings'), this.#configuration).timeout
  }

  /** When a session was last used, in milliseconds since 1970. */
  accessed(id: string): number {
    const noted = this.#noted[this.#places.get(id) ?? -1] ?? 0
    return Math.max(noted, this.#accessed.get(id) ?? this.#store.get('session', id)?.accessedAt ?? 0)
  }

  /** The caller that a token makes, for whom the session's idle time begins anew. */
  find(token: string, address: string): Caller | undefined {
    const id = this.#index().get(this.#accounts.digest(token))
    const session = id === undefined ? undefined : this.#store.get('session', id)
    if (id === undefined || session === undefined) return undefined
    const now = this.#now()
    if (this.#expired(id, now)) {
      this.#end([id])
      return undefined
    }
    const account = this.#store.get('account', session.user)
    if (!account?.enabled || account.generation !== session.generation) return undefined
    this.#touch(id, session, now)
    return this.#accounts.caller(account, address, id)
  }

  /** As long as nothing is committed: until the last use of the session has to be stored again. */
  untilStored(id: string): UntilStored | undefined {
    const session = this.#store.get('session', id)
    const place = this.#place(id)
    if (session === undefined || place === undefined) return undefined
    const time = session.accessedAt + this.timeout * 1000 * storedEvery - this.#now()
    return { time: Math.max(0, Math.floor(time)), uses: this.#noted, place }
  }

  /** Ends the sessions whose idle time is over. */
  reap(): void {
    const now = this.#now()
    const over = this.#store.keys('session').filter((id) => this.#expired(id, now))
    if (over.length > 0) this.#end(over)
  }

  #forget(id: string): void {
    this.#accessed.delete(id)
    this.#places.delete(id)
  }

  #expired(id: string, now: number): boolean {
    return now - this.accessed(id) >= this.timeout * 1000
  }

  #end(ids: readonly string[]): void {
    this.#later({ session: Object.fromEntries(ids.map((id) => [id, null])) })
  }

  #touch(id: string, session: Session, now: number): void {
    this.#accessed.set(id, now)
    if (now - session.accessedAt > this.timeout * 1000 * storedEvery) {
      this.#later({ session: { [id]: { accessedAt: now } } }, () => this.#store.get('session', id) !== undefined)
    }
  }

  /** Stores what no client waits for. */
  #later(writes: Writes, isCurrent?: () => boolean): void {
    this.#store.commit(writes, isCurrent).catch((error: Error) => {
      this.#store.log('error', 'the use of a session was not stored', { cause: error.message })
    })
  }

  #place(id: string): number | undefined {
    const known = this.#places.get(id)
    if (known !== undefined) return known
    const taken = new Set(this.#places.values())
    const place = this.#noted.findIndex((_, index) => !taken.has(index))
    if (place < 0) return undefined
    this.#noted[place] = 0
    this.#places.set(id, place)
    return place
  }

  #index(): ReadonlyMap<string, string> {
    const revision = this.#store.revisions.of('session/')
    if (revision !== this.#listed) {
      this.#listed = revision
      this.#byToken.clear()
      for (const id of this.#store.keys('session')) this.#byToken.set(this.#store.get('session', id)?.token ?? '', id)
      for (const id of this.#accessed.keys()) if (this.#store.get('session', id) === undefined) this.#forget(id)
    }
    return this.#byToken
  }
}
