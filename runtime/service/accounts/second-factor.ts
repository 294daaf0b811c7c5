import { createHash, timingSafeEqual } from 'node:crypto'
import { secondFactorOf, timeStep, typedCode, type UsedFactor } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import type { Clock } from '#hal/clock.ts'
import { utf8 } from '#runtime/base/bytes.ts'
import { MessageError, message } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import { type algorithms, oneTimeCode } from './one-time-code.ts'

/** Checks one-time codes and recovery codes, and delays guesses. The handler of a login stores the used code. */
export class SecondFactors {
  readonly #store: Store
  readonly #secrets: Pick<Secrets, 'open'>
  readonly #configuration: Configuration
  readonly #clock: Clock
  /** Wrong codes since the last right one, by account. */
  readonly #wrong = new Map<string, { readonly count: number; readonly at: number }>()

  constructor(store: Store, secrets: Pick<Secrets, 'open'>, configuration: Configuration, clock: Clock) {
    this.#store = store
    this.#secrets = secrets
    this.#configuration = configuration
    this.#clock = clock
    store.on('secondFactor', (id) => {
      if (!store.get('secondFactor', id)?.key) this.#wrong.delete(id)
    })
  }

  /** See `secondFactorOf`, as things are now. */
  of(account: string, role: string) {
    return secondFactorOf(this.#store, this.#configuration, account, role)
  }

  /**
   * The factor that a code proves; undefined if the code is wrong, or was used before.
   *
   * @param text as it was typed
   * @param of the key in use, and recovery codes; or a key that is not in use yet
   * @throws MessageError 401 LoginAttemptDelayedSeconds after too many wrong ones (RFC 4226, section 7.3)
   */
  check(account: string, text: string, of: 'key' | 'pending'): UsedFactor | undefined {
    const code = typedCode(text)
    const used = of === 'key' ? this.#recoveryCode(account, code) : undefined
    if (used !== undefined) return used
    this.#refuseIfEarly(account)
    const step = this.#step(account, code, of)
    if (step !== undefined) {
      this.#wrong.delete(account)
      return { kind: 'TimeBasedOneTimePassword', step }
    }
    this.#wrong.set(account, { count: (this.#wrong.get(account)?.count ?? 0) + 1, at: this.#clock.elapsed() })
    return undefined
  }

  /** A code of 80 bits cannot be guessed: it is checked without a delay, and its hash needs no salt. */
  #recoveryCode(account: string, code: string): UsedFactor | undefined {
    const digest = createHash('sha256').update(code).digest('hex')
    const { recoveryCodes = [] } = this.#store.get('secondFactor', account) ?? {}
    return recoveryCodes.includes(digest) ? { kind: 'RecoveryCode', digest } : undefined
  }

  /** The time step of a code, later than that of any code used before; all steps are compared, whichever it is. */
  #step(account: string, code: string, of: 'key' | 'pending'): number | undefined {
    const sealed = this.#store.get('secondFactor', account)?.[of] ?? ''
    const [algorithm, key] = this.#secrets.open(sealed)?.split(' ') ?? []
    if (algorithm === undefined || key === undefined || !/^\d{6}$/.test(code)) return undefined
    const { steps } = this.#configuration.secondFactor
    const now = Math.floor(this.#clock.now() / 1000 / timeStep)
    const last = of === 'key' ? (this.#store.get('oneTimeCode', account)?.step ?? 0) : 0
    const matching = Array.from({ length: 2 * steps + 1 }, (_, index) => now - steps + index).filter(
      (step) =>
        step > last && timingSafeEqual(utf8(oneTimeCode(key, step, algorithm as keyof typeof algorithms)), utf8(code))
    )
    return matching.at(-1)
  }

  #refuseIfEarly(account: string): void {
    const { tries, longestWait } = this.#configuration.secondFactor
    const { count, at } = this.#wrong.get(account) ?? { count: 0, at: 0 }
    if (count < tries) return
    const wait = Math.min(2 ** (count - tries), longestWait)
    const seconds = Math.ceil(wait - (this.#clock.elapsed() - at) / 1000)
    if (seconds <= 0) return
    const delayed = message('Mgmt.LoginAttemptDelayedSeconds', String(seconds))
    throw new MessageError(401, [delayed], { 'Retry-After': String(seconds) })
  }
}
