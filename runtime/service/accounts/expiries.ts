import { isExpired } from '#data/accounts'
import type { Clock } from '#hal/clock.ts'
import type { Store } from '#runtime/store/store.ts'

/**
 * Moves the revision of an account when its password expires, or does so no longer because the clock was set: callers and
 * answers that rest on the account are worked out anew, also those that a host repeats.
 */
export class Expiries {
  readonly #store: Store
  readonly #clock: Clock
  readonly #expired = new Set<string>()

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** To be called from time to time. */
  tend(): void {
    for (const id of new Set([...this.#expired, ...this.#store.keys('account')])) {
      const account = this.#store.get('account', id)
      const expired = account !== undefined && isExpired(account, this.#clock.now())
      if (expired === this.#expired.has(id)) continue
      if (expired) this.#expired.add(id)
      else this.#expired.delete(id)
      if (account !== undefined) this.#store.revisions.moved(`account/${id}`)
    }
  }
}
