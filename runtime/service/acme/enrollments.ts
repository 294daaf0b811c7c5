import type { Board } from '#data/board'
import type { Configuration } from '#data/configuration'
import {
  type Enrollment,
  enrolledNames,
  enrollmentOf,
  enrollmentUri,
  isRenewalDue,
  ownEnrollment
} from '#data/enrollment'
import { type Clock, measured } from '#hal/clock.ts'
import { type Event, event, type Message, MessageError, merged, message } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Identity } from '../certificates/identity.ts'
import type { Events } from '../events/events.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Attempt } from './enroll.ts'

interface Parts {
  readonly store: Store
  readonly board: Board
  readonly events: Events
  readonly tasks: Tasks
  readonly identity: Identity
  readonly secrets: Secrets
  readonly clock: Clock
  readonly configuration: Configuration
}

/**
 * Renews the service's certificate by ACME, when it is due and when a client asks for it. What a stop of the service
 * interrupts begins anew. ACME is loaded when it is needed.
 */
export class Enrollments {
  readonly #parts: Parts
  readonly #end: () => void
  #attempt: Attempt | undefined
  #isBusy = false
  #isClosed = false
  /** When the next attempt may be, on the clock that never leaps. */
  #after: number

  constructor(parts: Parts) {
    this.#parts = parts
    const { triedAt, failures } = enrollmentOf(parts.store)
    this.#after = measured(parts.clock, triedAt + this.#pause(failures), this.#pause(failures))
    this.#end = parts.store.on('certificateEnrollment', () => this.check())
  }

  /** Begins what is due. */
  check(): void {
    const { store, board, identity, clock } = this.#parts
    const { enabled, failures, task, renewBefore, ...rest } = enrollmentOf(store)
    if (this.#isBusy || this.#isClosed || (!enabled && task === '')) return
    if (task === '') {
      if (failures > 0 && clock.elapsed() < this.#after) return
      const names = enrolledNames({ ...rest, enabled, failures, task, renewBefore }, store, board)
      if (!isRenewalDue(identity.chain, names, renewBefore, new Date(clock.now()))) return
    }
    this.#isBusy = true
    this.#renew()
      .catch((error: Error) => store.log.error('an enrollment was not stored', { cause: error.message }))
      .finally(() => {
        this.#isBusy = false
        // Another one may have been asked for.
        if (enrollmentOf(store).task !== '') this.check()
      })
  }

  close(): void {
    this.#isClosed = true
    this.#end()
    this.#attempt?.cancel('the service stops')
  }

  async #renew(): Promise<void> {
    const { store, board, clock } = this.#parts
    const triedAt = clock.now()
    await this.#keep({ state: 'InProgress', triedAt })
    const asked = enrollmentOf(store)
    const names = enrolledNames(asked, store, board)
    try {
      const { enroll } = await import('./enroll.ts')
      if (this.#isClosed) return
      this.#attempt = enroll(asked, names, this.#forEnrollment())
      const events = await this.#attempt.done
      store.log.info('the certificate was renewed', { names })
      // A certificate that is near its end from the beginning, as by a clock that is ahead, would be renewed for ever.
      const isUseless = isRenewalDue(this.#parts.identity.chain, names, asked.renewBefore, new Date(clock.now()))
      const failures = isUseless ? enrollmentOf(store).failures + 1 : 0
      this.#after = clock.elapsed() + this.#pause(failures)
      await this.#finish(asked.task, 'Success', { failures, failure: '' }, events)
    } catch (error) {
      // The next start begins anew.
      if (this.#isClosed) return
      const cause = (error as Error).message.split('\n')[0] ?? ''
      store.log.warning('the certificate was not renewed', { cause })
      const failures = enrollmentOf(store).failures + 1
      this.#after = clock.elapsed() + this.#pause(failures)
      const failure = wordsOf(error as Error)
      const key = 'MgmtEvents.CertificateNotRenewed'
      const told = [event(key, enrollmentUri, failure)]
      await this.#finish(asked.task, 'Failed', { failures, failure }, told, [message(key, failure)])
    } finally {
      this.#attempt = undefined
    }
  }

  #forEnrollment() {
    const { store, board, identity, secrets, clock, configuration } = this.#parts
    const ids = store.keys('trustedCertificate')
    return {
      identity,
      secrets,
      settings: configuration.enrollment,
      authorities: ids.map((id) => store.get('trustedCertificate', id)?.pem ?? ''),
      now: () => new Date(clock.now()),
      keep: (accountKey: string) => this.#keep({ accountKey }),
      manager: Object.keys(board.managers)[0] ?? ''
    }
  }

  async #keep(members: Partial<Enrollment>): Promise<void> {
    await this.#parts.store.commit({ certificateEnrollment: { [ownEnrollment]: members } })
  }

  /** Stores how it went, with its events, and ends the task that asked for it. */
  async #finish(
    task: string,
    state: 'Success' | 'Failed',
    more: { readonly failures: number; readonly failure: string },
    events: readonly Event[],
    messages: readonly Message[] = []
  ): Promise<void> {
    const { store, tasks } = this.#parts
    const known = enrollmentOf(store).task
    const writes = {
      certificateEnrollment: { [ownEnrollment]: { state, ...more, ...(known === task && { task: '' }) } }
    }
    if (task === '' || store.get('task', task) === undefined) {
      await store.commit(() => merged(writes, this.#parts.events.writes(events)))
    } else {
      const ended = state === 'Success' ? 'Completed' : 'Exception'
      await tasks.commit(task, () => ({ task: { state: ended }, messages, writes, events }))
    }
  }

  /** In milliseconds. */
  #pause(failures: number): number {
    const { retryAfter, retryMost } = this.#parts.configuration.enrollment
    return failures === 0 ? 0 : 1000 * Math.min(retryAfter * 2 ** (failures - 1), retryMost)
  }
}

/** Words for clients. Which hosts and ports of its network answer, and how, is for the log. */
function wordsOf(error: Error): string {
  const isOurs = error.name === 'AcmeError' || error instanceof MessageError || error instanceof RangeError
  return isOurs ? error.message : 'the server cannot be reached, or is not trusted, or went away'
}
