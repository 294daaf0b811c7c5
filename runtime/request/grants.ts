import {
  type Caller,
  type Exchange,
  type Method,
  notFound,
  type Peer,
  type Proof,
  type Stream
} from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Answer } from './answer.ts'
import type { Authentication } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { RouteMatch } from './routes.ts'

/** How often grants are checked for what ends by itself, as licenses, certificates and idle sessions do: milliseconds. */
const checkEvery = 1000

/** A status of RFC 6455 7.4.1. */
const policyViolation = 1008

/** Something that a client was let through to, and that goes on. */
export interface Grant {
  /** Undefined if a later version has no such resource. */
  readonly found: RouteMatch | undefined
  readonly method: Method
  readonly caller: Proof & Pick<Caller, 'address'>
  /** More that it takes than the handler file says. @throws MessageError if the caller may not go on */
  readonly also?: (caller: Caller) => void
  /** Called once when it may not go on. @param why a MessageError: the answer that the same request would get now */
  end(why: unknown): void
}

/**
 * Work that outlives its authorized request: streams, consoles, uploads, tasks. Each is let through again, by the same
 * functions, whenever something is stored, before listeners are called, and every second for what ends with time. One that
 * would be refused is ended.
 */
export class Grants {
  readonly #authentication: Authentication
  readonly #grounds: Parameters<typeof authorize>[3]
  readonly #held = new Set<Grant>()
  readonly #forget: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, authentication: Authentication, now: () => number) {
    this.#authentication = authentication
    this.#grounds = { state: store, now: () => new Date(now()) }
    this.#forget = store.onCommit(() => this.#checkAll())
  }

  /**
   * The caller as things are now.
   *
   * @throws MessageError 401, 403 or 503 if the request would not be let through any more
   */
  check({ found, method, caller, also }: Omit<Grant, 'end'>): Caller {
    const present = this.#authentication.again(caller)
    authorize(found ?? notFound(), method, present, this.#grounds)
    also?.(present)
    return present
  }

  /** Ends something when it may not go on, at once where that is so already; the function returned ends the watch. */
  hold(grant: Grant): () => void {
    this.#held.add(grant)
    this.#timer ??= setInterval(() => this.#checkAll(), checkEvery).unref()
    this.#checkHeld(grant)
    return () => this.#release(grant)
  }

  /** The answer to a GET that was let through, which holds that for as long as it goes on. */
  during(answered: Answer, found: RouteMatch, caller: Caller): Answer {
    const { stream, exchange } = answered
    const hold = (end: () => void) => this.hold({ found, method: 'GET', caller, end })
    if (stream !== undefined) return { ...answered, stream: held(stream, hold) }
    if (exchange !== undefined) return { ...answered, exchange: heldExchange(exchange, hold) }
    return answered
  }

  close(): void {
    this.#forget()
    for (const grant of this.#held) this.#release(grant)
  }

  #checkAll(): void {
    for (const grant of [...this.#held]) if (this.#held.has(grant)) this.#checkHeld(grant)
  }

  #checkHeld(grant: Grant): void {
    try {
      this.check(grant)
    } catch (error) {
      this.#release(grant)
      grant.end(error)
    }
  }

  #release(grant: Grant): void {
    this.#held.delete(grant)
    if (this.#held.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

type Hold = (end: () => void) => () => void

function held(stream: Stream, hold: Hold): Stream {
  return (sink) => {
    const release = hold(() => sink.end())
    const gone = stream(sink)
    return () => {
      release()
      gone()
    }
  }
}

function heldExchange(begin: (peer: Peer) => Exchange, hold: Hold): (peer: Peer) => Exchange {
  return (peer) => {
    const release = hold(() => peer.end(policyViolation))
    const exchange = begin(peer)
    return {
      received: (bytes) => exchange.received(bytes),
      gone: (saidGoodbye) => {
        release()
        exchange.gone(saidGoodbye)
      }
    }
  }
}
