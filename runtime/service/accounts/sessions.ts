import { type Session, sessionPolicy } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import type { Caller, Writes } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Accounts } from './credentials.ts'

/** A session's last use is stored when it is this part of the idle time newer than what is stored. */
const storedEvery = 0.1

/** Sessions by their tokens. When each was last used is memory's; the store follows at a distance. */
export class Sessions {
  readonly #store: Store
  readonly #accounts: Accounts
  readonly #configuration: Configuration
  readonly #now: () => number
  readonly #byToken = new Map<string, string>()
  readonly #accessed = new Map<string, number>()
  #listed = -1

  constructor(store: Store, accounts: Accounts, configuration: Configuration, now: () => number) {
    this.#store = store
    this.#accounts = accounts
    this.#configuration = configuration
    this.#now = now
  }

  /** Seconds that a session may be idle. */
  get timeout(): number {
    return sessionPolicy(this.#store.get('sessionService', 'settings'), this.#configuration).timeout
  }

  /** When a session was last used, in milliseconds since 1970. */
  accessed(id: string): number {
    return this.#accessed.get(id) ?? this.#store.get('session', id)?.accessedAt ?? 0
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

  /** Ends the sessions whose idle time is over. */
  reap(): void {
    const now = this.#now()
    const over = this.#store.keys('session').filter((id) => this.#expired(id, now))
    if (over.length > 0) this.#end(over)
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
      log('error', 'the use of a session was not stored', { cause: error.message })
    })
  }

  #index(): ReadonlyMap<string, string> {
    const revision = this.#store.revisions.of('session/')
    if (revision !== this.#listed) {
      this.#listed = revision
      this.#byToken.clear()
      for (const id of this.#store.keys('session')) this.#byToken.set(this.#store.get('session', id)?.token ?? '', id)
      for (const id of this.#accessed.keys())
        if (this.#store.get('session', id) === undefined) this.#accessed.delete(id)
    }
    return this.#byToken
  }
}
