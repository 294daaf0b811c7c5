import type { Caller, Tables } from '#runtime/contract'
import type { Answer } from '#runtime/request/answer.ts'
import { hasCredentials } from '#runtime/request/authenticate.ts'
import type { Head } from '#runtime/request/head.ts'
import type { Sessions, UntilStored } from '#runtime/service/accounts/sessions.ts'
import type { Revisions } from '#runtime/store/revisions.ts'

/** A server that can give an answer again without asking; Node.js's cannot. */
export interface Repeating {
  forget?(): void
  forgetCallers?(): void
  drop?(subject: string): void
}

/** An answer of such a server. See `ServerResponse.repeatable` of the binary. */
export interface Repeatable {
  repeatable?(time: number, caller: string, subject: string, use?: Float64Array, moments?: Int32Array): void
}

/** The served content: the source of its answers, and the sign that they are stale. */
export interface Lasting {
  readonly sessions: Pick<Sessions, 'untilStored'>
  readonly store: { readonly revisions: Pick<Revisions, 'onMoved' | 'of'> }
  readonly handling: {
    /** Calls back with the URI of each answer that is no longer good. Without it every change is one of all answers. */
    onDropped?(listener: (uri: string) => void): () => void
  }
}

/** Tables that neither authentication nor authorization reads. */
const grantingNothing: readonly (keyof Tables)[] = [
  ...(['biosCurrent', 'biosPending', 'biosUserDefaults', 'boot', 'bootRetry', 'chassis', 'clock'] as const),
  ...([
    'condition',
    'delivery',
    'diagnosticData',
    'dump',
    'dumpCollection',
    'erasure',
    'event',
    'eventService',
    'hostPending',
    'hostPower',
    'hostWatchdog'
  ] as const),
  ...([
    'logEntry',
    'machineLogEntry',
    'manager',
    'metricReportDefinition',
    'recorded',
    'report',
    'secureBoot',
    'sensorThreshold',
    'storage'
  ] as const),
  ...(['subscription', 'system', 'task', 'temperatureThreshold', 'update', 'variable', 'virtualMedia'] as const)
]

/** Devices, by the first part of their paths, that they do not read either. */
const devices = [
  'bootProgress',
  'dumps',
  'eventLog',
  'firmware',
  'indicator',
  'metricReport',
  'nvram',
  'power',
  'readings'
]

const ignored: ReadonlySet<string> = new Set([...grantingNothing, ...devices])

/** The credentials of HTTP Basic have no end of their own; they are asked for again after this time, in milliseconds. */
const longest = 3_600_000

/**
 * Says which answers the host may give again by itself: those that rest on nothing but records and devices, to callers
 * whose credentials an earlier request has shown to be right, and to requests without credentials. An answer is dropped
 * with the one in the cache. A change of a record or a device makes all callers unknown, unless it is in a table that
 * grants nothing, or of a session that none of them has. Without a cache that reports what it drops, every change
 * forgets all answers. Callers also become unknown when the use of their session has to be stored.
 */
export class Repeats {
  readonly #server: Repeating
  readonly #served: Lasting
  readonly #endings: readonly ((() => void) | undefined)[]
  /** The sessions of the callers who are known; undefined if no caller is. */
  #sessions: Set<string> | undefined
  #some = false

  constructor(server: Repeating, served: Lasting) {
    this.#server = server
    this.#served = served
    const drops = served.handling.onDropped?.((uri) => this.#some && server.drop?.(uri))
    this.#endings = [
      served.store.revisions.onMoved((path) => (drops === undefined ? this.forget() : this.#moved(path))),
      drops
    ]
  }

  /**
   * Call before the answer is written, in the turn of the loop in which it was made: nothing may change in between.
   *
   * @param caller undefined if the request has no credentials, or none that are known to be right
   */
  allow(
    response: Repeatable,
    { lasting, moments }: Answer,
    caller: Caller | undefined,
    headers: Head['headers']
  ): void {
    if (lasting === undefined || response.repeatable === undefined) return
    if (caller === undefined) {
      // Credentials may be found right later on, and then they are those of a caller.
      if (hasCredentials(headers)) return
      response.repeatable(longest, '', lasting, undefined, moments)
      this.#some = true
      return
    }
    const { session, account, role } = caller
    const { sessions, store } = this.#served
    const left: UntilStored | undefined = session === undefined ? { time: longest } : sessions.untilStored(session)
    if (left === undefined || left.time === 0) return
    // Whatever changes with an account or its role, the privileges first of all, makes it another caller.
    const { revisions } = store
    const who = `${account} ${revisions.of(`account/${account}`)} ${revisions.of(`role/${role}`)}`
    response.repeatable(left.time, who, lasting, left.use, moments)
    this.#some = true
    this.#sessions ??= new Set()
    if (session !== undefined) this.#sessions.add(session)
  }

  #moved(path: string): void {
    if (this.#sessions === undefined) return
    const [table = '', id = ''] = path.split('/', 2)
    if (ignored.has(table) || (table === 'session' && !this.#sessions.has(id))) return
    this.#server.forgetCallers?.()
    this.#sessions = undefined
  }

  /** Stops listening; call `allow` no more. */
  close(): void {
    for (const end of this.#endings) end?.()
    this.forget()
  }

  forget(): void {
    if (this.#some) this.#server.forget?.()
    this.#some = false
    this.#sessions = undefined
  }
}
