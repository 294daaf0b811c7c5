import type { Caller } from '#runtime/contract'
import type { Answer } from '#runtime/request/answer.ts'
import type { Sessions, UntilStored } from '#runtime/service/accounts/sessions.ts'
import { isReadings, type Revisions } from '#runtime/store/revisions.ts'

/** A server that can give an answer again to the very same request, without asking; Node.js's cannot. */
export interface Repeating {
  forget?(): void
}

/** An answer of such a server. See `ServerResponse.repeatable` of the binary. */
export interface Repeatable {
  repeatable?(time: number, uses?: Float64Array, place?: number): void
}

/** An answer to HTTP Basic has no end of its own; it is asked for again after this time, in milliseconds. */
const longest = 3_600_000

/**
 * Says which answers the host may give again by itself: those that rest on nothing but records and devices, to callers
 * who are known by the headers of the request. Any change of a record or a device ends that for all of them, but for
 * readings of sensors, which change all the time and are in none of them. The time at which the use of a session has
 * to be stored ends it too.
 */
export class Repeats {
  readonly #server: Repeating
  readonly #sessions: Pick<Sessions, 'untilStored'>
  #some = false

  constructor(server: Repeating, sessions: Pick<Sessions, 'untilStored'>, revisions: Pick<Revisions, 'onMoved'>) {
    this.#server = server
    this.#sessions = sessions
    revisions.onMoved((path) => isReadings(path) || this.forget())
  }

  /**
   * Call before the answer is written, in the turn of the loop in which it was made: nothing may change in between.
   *
   * @param caller undefined where the answer does not rest on credentials in the request's headers
   */
  allow(response: Repeatable, { lasting }: Answer, caller: Caller | undefined): void {
    if (!lasting || caller === undefined || response.repeatable === undefined) return
    const { session } = caller
    const left: UntilStored | undefined =
      session === undefined ? { time: longest } : this.#sessions.untilStored(session)
    if (left === undefined || left.time === 0) return
    response.repeatable(left.time, left.uses, left.place)
    this.#some = true
  }

  forget(): void {
    if (this.#some) this.#server.forget?.()
    this.#some = false
  }
}
