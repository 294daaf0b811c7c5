import type { SigningKey } from '#data/board'
import { lasts, licenseUri } from '#data/license'
import { event, type Members, merged } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import { readLicenseKey } from './key.ts'

/** Reads license keys, and reports, once, the end of each license. */
export class Licenses {
  readonly #store: Store
  readonly #events: Events
  readonly #now: () => number
  readonly #signer: SigningKey | undefined

  /** @param signer the public key of license keys; without one no license is good */
  constructor(store: Store, events: Events, now: () => number, signer?: SigningKey) {
    this.#store = store
    this.#signer = signer
    this.#events = events
    this.#now = now
  }

  members(): Members<'readLicense'> {
    return { readLicense: (key) => readLicenseKey(key, this.#signer) }
  }

  /** Looks for licenses that have ended since. */
  check(): void {
    for (const manager of this.#store.keys('license')) {
      if (this.#ended(manager) !== undefined) void this.#recordEnd(manager)
    }
  }

  async #recordEnd(manager: string): Promise<void> {
    try {
      await this.#store.commit(() => {
        const license = this.#ended(manager)
        if (license === undefined) return {}
        const sent = this.#events.writes([event('MgmtEvents.LicenseExpired', licenseUri(manager), license.class)])
        return merged({ license: { [manager]: { ended: true } } }, sent)
      })
    } catch (error) {
      this.#store.log.error('the end of a license was not stored', { manager, cause: (error as Error).message })
    }
  }

  /** A license that has ended, without an event yet. */
  #ended(manager: string) {
    const license = this.#store.get('license', manager)
    return license === undefined || license.ended || lasts(license, new Date(this.#now())) ? undefined : license
  }
}
