import { enrolledNames, enrollmentOf, isRenewalDue } from '#data/enrollment'
import { measured } from '#hal/clock.ts'
import type { Parts, Renewal } from './renewal.ts'

/**
 * Has the service's certificate renewed by ACME, when it is due and when a client asks for it. A renewal that a stop
 * of the service interrupts starts again. The code for renewals is loaded on first use.
 */
export class Enrollments {
  readonly #parts: Parts
  readonly #end: () => void
  #renewal: Renewal | undefined
  #isBusy = false
  #isClosed = false
  /** When the next attempt may be after a failed one, on the clock that never leaps. */
  #after: number

  constructor(parts: Parts) {
    this.#parts = parts
    this.#after = measured(parts.clock, enrollmentOf(parts.store).triedAt + this.#pause, this.#pause)
    this.#end = parts.store.on('certificateEnrollment', () => this.check())
  }

  /** Begins what is due. */
  check(): void {
    const { store } = this.#parts
    if (this.#isBusy || this.#isClosed || !this.#isDue()) return
    this.#isBusy = true
    const ended = () => {
      this.#after = this.#parts.clock.elapsed() + this.#pause
      this.#isBusy = false
    }
    this.#renew().then(
      () => {
        ended()
        // Another one may have been asked for.
        if (enrollmentOf(store).task !== '') this.check()
      },
      (error: Error) => {
        ended()
        // The next one is begun later, by `tend`.
        store.log.error('an enrollment was not stored', { cause: error.message })
      }
    )
  }

  close(): void {
    this.#isClosed = true
    this.#end()
    this.#renewal?.cancel()
  }

  #isDue(): boolean {
    const { store, board, identity, clock } = this.#parts
    const enrollment = enrollmentOf(store)
    if (enrollment.task !== '') return true
    if (!enrollment.enabled || (enrollment.failures > 0 && clock.elapsed() < this.#after)) return false
    const names = enrolledNames(enrollment, store, board)
    return isRenewalDue(identity.chain, names, enrollment.renewBefore, new Date(clock.now()))
  }

  async #renew(): Promise<void> {
    const { renew } = await import('./renewal.ts')
    if (this.#isClosed) return
    this.#renewal = renew(this.#parts)
    await this.#renewal.done
    this.#renewal = undefined
  }

  /** In milliseconds. */
  get #pause(): number {
    const { retryAfter, retryMost } = this.#parts.configuration.enrollment
    const { failures } = enrollmentOf(this.#parts.store)
    return failures === 0 ? 0 : 1000 * Math.min(retryAfter * 2 ** (failures - 1), retryMost)
  }
}
