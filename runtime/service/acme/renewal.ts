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
import type { Clock } from '#hal/clock.ts'
import { type Event, event, type Message, MessageError, merged, message } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Identity } from '../certificates/identity.ts'
import type { Events } from '../events/events.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { AcmeError } from './client.ts'
import { type Attempt, enroll } from './enroll.ts'

export interface Parts {
  readonly store: Store
  readonly board: Board
  readonly events: Events
  readonly tasks: Tasks
  readonly identity: Identity
  readonly secrets: Secrets
  readonly clock: Clock
  readonly configuration: Configuration
}

export interface Renewal {
  /** Settles when it is stored how it went. @throws Error when it cannot be stored */
  readonly done: Promise<void>
  /** Ends it, as if it had not begun. */
  cancel(): void
}

/** Renews the service's certificate, with its events, and ends the task that has asked for it. */
export function renew(parts: Parts): Renewal {
  const { store, board, clock } = parts
  let attempt: Attempt | undefined
  let isCancelled = false
  const run = async () => {
    await keep(parts, { state: 'InProgress', triedAt: clock.now() })
    const asked = enrollmentOf(store)
    const names = enrolledNames(asked, store, board)
    if (isCancelled) return
    attempt = enroll(asked, names, forEnrollment(parts))
    try {
      const events = await attempt.done
      store.log.info('the certificate was renewed', { names })
      // A certificate that is near its end from the beginning, as by a clock that is ahead, would be renewed for ever.
      const isUseless = isRenewalDue(parts.identity.chain, names, asked.renewBefore, new Date(clock.now()))
      const failures = isUseless ? enrollmentOf(store).failures + 1 : 0
      await finish(parts, asked.task, 'Success', { failures, failure: '' }, events)
    } catch (error) {
      if (isCancelled) return
      store.log.warning('the certificate was not renewed', { cause: (error as Error).message.split('\n')[0] })
      const failure = wordsOf(error as Error)
      const failures = enrollmentOf(store).failures + 1
      const key = 'MgmtEvents.CertificateNotRenewed'
      const told = event(key, enrollmentUri, failure)
      await finish(parts, asked.task, 'Failed', { failures, failure }, [told], [message(key, failure)])
    }
  }
  const cancel = () => {
    isCancelled = true
    attempt?.cancel('the service stops')
  }
  return { done: run(), cancel }
}

function forEnrollment(parts: Parts) {
  const { store, board, identity, secrets, clock, configuration } = parts
  const ids = store.keys('trustedCertificate')
  return {
    identity,
    secrets,
    settings: configuration.enrollment,
    authorities: ids.map((id) => store.get('trustedCertificate', id)?.pem ?? ''),
    now: () => new Date(clock.now()),
    keep: (accountKey: string) => keep(parts, { accountKey }),
    manager: Object.keys(board.managers)[0] ?? ''
  }
}

async function keep({ store }: Parts, members: Partial<Enrollment>): Promise<void> {
  await store.commit({ certificateEnrollment: { [ownEnrollment]: members } })
}

/** Stores how it went, with its events, and ends the task that asked for it. */
async function finish(
  { store, tasks, events: log }: Parts,
  task: string,
  state: 'Success' | 'Failed',
  more: { readonly failures: number; readonly failure: string },
  events: readonly Event[],
  messages: readonly Message[] = []
): Promise<void> {
  const isDone = enrollmentOf(store).task === task
  const writes = { certificateEnrollment: { [ownEnrollment]: { state, ...more, ...(isDone && { task: '' }) } } }
  if (task === '' || store.get('task', task) === undefined) {
    await store.commit(() => merged(writes, log.writes(events)))
  } else {
    const ended = state === 'Success' ? 'Completed' : 'Exception'
    await tasks.commit(task, () => ({ task: { state: ended }, messages, writes, events }))
  }
}

/** Words for clients. Which hosts and ports of its network answer, and how, is for the log. */
function wordsOf(error: Error): string {
  const isOurs = error instanceof AcmeError || error instanceof MessageError || error instanceof RangeError
  return isOurs ? error.message : 'the server cannot be reached, or is not trusted, or went away'
}
