import type { Configuration } from '#data/configuration'
import type { DeliveryRecord, DeliveryStatus, Subscription } from '#data/events'
import type { Clock } from '#hal/clock.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { type LogLine, log, logs } from '#runtime/base/log.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { DeliveryError } from './destination.ts'
import type { Permit } from './semaphore.ts'

/** An event or report that waits for a subscriber, or a line of the log. */
export interface Notice {
  /** Of a line, that of the notice before it. */
  readonly id: number
  readonly table: 'event' | 'report' | 'line'
  /** Of a line, which is nowhere else. */
  readonly line?: LogLine
  /** Milliseconds of the clock that never leaps. */
  readonly createdAt: number
}

interface Waiting extends Notice {
  /** How many attempts failed. */
  failed: number
}

export interface DeliveryDependencies {
  /** Of the subscription. */
  readonly id: string
  /** As it is now. */
  readonly subscription: () => Subscription
  readonly record: DeliveryRecord | undefined
  readonly settings: Configuration['events']
  readonly clock: Clock
  /** Asks for a place among the notifications to the listener. */
  readonly take: () => Permit
  /** Posts what is at the head of the queue. @throws DeliveryError */
  readonly post: (notices: readonly Notice[]) => Promise<void>
  /** Told of each notice that is delivered or dropped. */
  readonly onSettled: (notice: Notice) => void
  /** Told that all attempts for a notice failed, and settled when what the policy asks for then is done. */
  readonly onSpent: () => Promise<void>
}

/** The most seconds between attempts under `RetryForeverWithBackoff`. */
const longestInterval = 600

/** How a notice leaves the queue. The record of the subscription counts all but the last. */
type Outcome = 'delivered' | 'queueFull' | 'retired' | 'attemptsSpent' | 'deleted'

const causes = {
  queueFull: 'queue full',
  retired: 'retired',
  attemptsSpent: 'attempts spent',
  deleted: 'subscription deleted'
} as const

const nothingYet: DeliveryRecord = {
  settled: 0,
  delivered: 0,
  queueFull: 0,
  retired: 0,
  attemptsSpent: 0,
  unreachable: false,
  deliveredAt: '',
  failedAt: '',
  failure: ''
}

/**
 * The queue of one subscriber, and the loop that delivers from its head, one notification at a time. Nothing here waits
 * for another subscriber.
 */
export class Delivery {
  readonly #parts: DeliveryDependencies
  readonly #queue: Waiting[] = []
  readonly #record: DeliveryRecord
  /** The number of notices at the head that are being sent. */
  #sent = 0
  /** Of the notification that is next. */
  #permit: Permit | undefined
  #failing = false
  /** Attempts that failed one after another. */
  #failures = 0
  #closed = false
  #running = false
  readonly #closing = new Listeners<void>()

  constructor(parts: DeliveryDependencies) {
    this.#parts = parts
    this.#record = { ...nothingYet, ...parts.record }
  }

  get status(): DeliveryStatus {
    const trouble = this.#failing ? 'failing' : this.#record.unreachable ? 'unreachable' : 'none'
    return { ...this.record, queued: this.#queue.length, trouble }
  }

  /** The part worth storing. After a crash, deliveries behind the head are made again. */
  get record(): DeliveryRecord {
    const head = this.#queue[0]
    return { ...this.#record, settled: head === undefined ? this.#record.settled : head.line ? head.id : head.id - 1 }
  }

  /** True when a notice with this id is not yet settled, by the stored record. */
  lacks(id: number): boolean {
    return id > this.#record.settled
  }

  /** The notices in the queue. */
  get waiting(): readonly Notice[] {
    return this.#queue
  }

  /** Takes note of another bound of the queue, and of the end of a suspension. */
  changed(): void {
    this.#trim()
    if (!this.#running) void this.#run()
  }

  /** Takes a notice to the end of the queue, whose oldest one gives way where there is no room. */
  push(notice: Notice): void {
    this.#queue.push({ ...notice, failed: 0 })
    // A full queue does not wait: the next notice would push the oldest one out.
    if (this.#queue.length >= this.#parts.subscription().mostQueued) this.#permit?.force()
    this.#trim()
    if (!this.#running) void this.#run()
  }

  /** Takes a line of the log likewise. It does not outlive the process. */
  pushLine(line: LogLine): void {
    const id = this.#queue.at(-1)?.id ?? this.#record.settled
    this.push({ id, table: 'line', line, createdAt: this.#parts.clock.elapsed() })
  }

  /** Ends the loop. The outcome of a request in progress remains unknown. */
  close(): void {
    this.#closed = true
    this.#closing.emit()
    this.#permit?.force()
  }

  async #run(): Promise<void> {
    this.#running = true
    // Notices that arrive together are sent together.
    await undefined
    while (this.#goesOn()) {
      const { sent, failure } = await this.#send()
      if (this.#closed || sent.length === 0) break
      if (failure === undefined) this.#succeeded(sent.length)
      else await this.#failed(sent, failure)
    }
    this.#running = false
  }

  #goesOn(): boolean {
    return !this.#closed && !this.#parts.subscription().suspended && this.#retire()
  }

  /** Posts the head of the queue as of the moment its permit is granted; posts nothing if it has ended by then. */
  async #send(): Promise<{ sent: readonly Waiting[]; failure?: string | undefined }> {
    const permit = this.#parts.take()
    this.#permit = permit
    await permit.granted
    const sent = this.#goesOn() ? this.#queue.slice(0, this.#batch()) : []
    this.#sent = sent.length
    try {
      if (sent.length > 0) await this.#parts.post(sent)
      return { sent }
    } catch (error) {
      return { sent, failure: explain(error) }
    } finally {
      this.#sent = 0
      permit.release()
    }
  }

  /** Events go together, a report goes alone. */
  #batch(): number {
    const report = this.#queue.findIndex(({ table }) => table === 'report')
    return Math.min(this.#parts.settings.batch, report < 0 ? this.#queue.length : Math.max(1, report))
  }

  #succeeded(count: number): void {
    this.#failing = false
    this.#failures = 0
    this.#record.unreachable = false
    this.#record.deliveredAt = new Date(this.#parts.clock.now()).toISOString()
    this.#settle(0, count, 'delivered')
  }

  async #failed(sent: readonly Waiting[], failure: string): Promise<void> {
    const { retryAttempts } = this.#parts.subscription()
    this.#failures += 1
    this.#record.failure = failure
    this.#record.failedAt = new Date(this.#parts.clock.now()).toISOString()
    for (const each of sent) each.failed += 1
    const left = sent.findIndex((each) => each.failed <= retryAttempts)
    const spent = left < 0 ? sent.length : left
    this.#failing = left >= 0
    this.#record.unreachable ||= spent > 0
    if (logs('debug')) {
      const attempts = Object.fromEntries(sent.map(({ id, failed }) => [id, failed]))
      log.debug('a delivery failed', { subscription: this.#parts.id, cause: failure, attempts })
    }
    this.#settle(0, spent, 'attemptsSpent')
    this.#trim()
    if (spent > 0) await this.#parts.onSpent()
    await this.#pause(this.#interval(spent > 0) * 1000)
  }

  /** Seconds until the next attempt. */
  #interval(spent: boolean): number {
    const { retryInterval, retryPolicy } = this.#parts.subscription()
    if (retryPolicy === 'RetryForeverWithBackoff')
      return Math.min(retryInterval * 2 ** (this.#failures - 1), longestInterval)
    return spent ? Math.min(this.#parts.settings.pause, retryInterval) : retryInterval
  }

  /** Waits, and retires meanwhile what is too old. */
  async #pause(time: number): Promise<void> {
    for (let left = time; left > 0 && !this.#closed; ) {
      const step = Math.min(left, this.#untilRetired() ?? left)
      await sleep(step, this.#closing)
      this.#retire()
      left -= step
    }
  }

  /** Milliseconds until the head of the queue is too old. */
  #untilRetired(): number | undefined {
    const head = this.#queue[0]
    if (head === undefined) return undefined
    return Math.max(1, head.createdAt + this.#parts.subscription().retireAfter * 60_000 - this.#parts.clock.elapsed())
  }

  /** @returns whether anything is left */
  #retire(): boolean {
    const oldest = this.#parts.clock.elapsed() - this.#parts.subscription().retireAfter * 60_000
    const first = this.#queue.findIndex(({ createdAt }) => createdAt > oldest)
    const count = first < 0 ? this.#queue.length : first
    this.#settle(0, count, 'retired')
    return this.#queue.length > 0
  }

  #trim(): void {
    const count = Math.max(0, this.#queue.length - this.#sent - this.#parts.subscription().mostQueued)
    this.#settle(this.#sent, count, 'queueFull')
  }

  #settle(from: number, count: number, outcome: Exclude<Outcome, 'deleted'>): void {
    if (count === 0) return
    const settled = this.#queue.splice(from, count)
    this.#record[outcome] += count
    if (this.#queue.length === 0) this.#record.settled = (settled.at(-1) as Waiting).id
    for (const notice of settled) {
      if (logs('debug')) logOutcome(this.#parts.id, notice, outcome)
      this.#parts.onSettled(notice)
    }
  }
}

/** Logs how a notice left the queue of a subscription. */
export function logOutcome(subscription: string, { id, table }: Notice, outcome: Outcome): void {
  const notice = { event: 'an event', report: 'a metric report', line: 'a line of the log' }[table]
  const fields = { subscription, [table]: id }
  if (outcome === 'delivered') log.debug(`${notice} is delivered`, fields)
  else log.debug(`${notice} is not delivered`, { ...fields, cause: causes[outcome] })
}

function explain(error: unknown): string {
  if (error instanceof DeliveryError) return error.message
  throw error
}
