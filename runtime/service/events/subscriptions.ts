import type { Configuration } from '#data/configuration'
import {
  type DeliveryRecord,
  type DeliveryStatus,
  endSubscription,
  eventFacility,
  eventKey,
  lineFacility,
  passesSyslog,
  type Subscription,
  severityOf,
  subscriptionUri,
  syslogFrame
} from '#data/events'
import { type Clock, measured } from '#hal/clock.ts'
import { type LogLine, logs } from '#runtime/base/log.ts'
import { event, type Members, merged, type Reader, type Writes } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import { type EventBodies, reportBody } from './body.ts'
import { Delivery, logOutcome, type Notice } from './delivery.ts'
import { type Connection, Destination, type Trust } from './destination.ts'
import type { Events } from './events.ts'
import type { Semaphore } from './semaphore.ts'
import { SyslogDestination } from './syslog-destination.ts'

export interface SubscriptionsDependencies {
  readonly store: Store
  readonly events: Events
  readonly bodies: EventBodies
  readonly secrets: Secrets
  readonly trust: Trust
  readonly settings: Configuration['events']
  readonly clock: Clock
  /** Bounds the notifications that are on their way. */
  readonly semaphore: Semaphore
  /** The name that messages of syslog come from. */
  readonly hostName: () => string
}

const lineSeverities = { error: 'Error', warning: 'Warning', info: 'Informational' } as const

interface Running {
  subscription: Subscription
  destination: Connection
  readonly delivery: Delivery
}

/**
 * A delivery for each subscription in the store. They follow the store: what is stored for a subscriber is in its queue,
 * also after a restart; how far each got is stored at a distance, so that a crash makes a notification come twice, with
 * the same id, rather than never.
 */
export class Subscriptions {
  readonly #parts: SubscriptionsDependencies
  readonly #running = new Map<string, Running>()
  readonly #moved = new Set<string>()
  /** End the listening to the store. */
  readonly #stops: readonly (() => void)[]
  #saving: ReturnType<typeof setTimeout> | undefined
  #closed = false

  /** Takes up what waits in the store. */
  constructor(parts: SubscriptionsDependencies) {
    this.#parts = parts
    const { store } = parts
    for (const id of store.keys('subscription')) this.#begin(id)
    const waiting = (['event', 'report'] as const).flatMap((table) => store.keys(table).map((key) => ({ table, key })))
    for (const { table, key } of waiting.sort((a, b) => Number(a.key) - Number(b.key))) this.#arrived(table, key)
    this.#stops = [
      store.on('event', (key) => this.#arrived('event', key)),
      store.on('report', (key) => this.#arrived('report', key)),
      store.on('subscription', (id) => this.#changed(id)),
      store.on('trustedCertificate', () => this.#reconnect()),
      store.log.lines.add((line) => this.#logged(line))
    ]
  }

  members(reader: Reader): Members<'delivery'> {
    return {
      delivery: (subscription) => {
        reader.depends('delivery')
        return this.status(subscription)
      }
    }
  }

  /** The state of the delivery to an existing subscription. */
  status(id: string): DeliveryStatus {
    const running = this.#running.get(id)
    if (running === undefined) throw new RangeError(`no subscription ${id}`)
    return running.delivery.status
  }

  /** Ends all deliveries and writes down how far they got. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    for (const { delivery, destination } of this.#running.values()) {
      delivery.close()
      destination.close()
    }
    this.#closed = true
    clearTimeout(this.#saving)
    await this.#save()
  }

  /** A change of the trusted authorities takes effect at the next connection. */
  #reconnect(): void {
    for (const [id, running] of this.#running) {
      running.destination.end()
      running.destination = this.#destination(running.subscription)
      this.#parts.store.log.debug('the service reconnects to a subscriber', { subscription: id })
    }
  }

  #begin(id: string): void {
    const { store, settings, clock, semaphore } = this.#parts
    const subscription = store.get('subscription', id) as Subscription
    const delivery = new Delivery({
      id,
      subscription: () => running.subscription,
      record: store.get('delivery', id),
      settings,
      clock,
      take: () => semaphore.take(running.destination.server),
      post: (notices) => running.destination.post(this.#body(running.subscription, notices)),
      onSettled: (notice) => {
        if (notice.table === 'line') return
        this.#parts.events.backlog.release(notice.id)
        this.#saveSoon(id)
      },
      onSpent: () => this.#spent(id)
    })
    const running: Running = { subscription, destination: this.#destination(subscription), delivery }
    this.#running.set(id, running)
  }

  /** Ends or suspends a subscription whose attempts are spent, as its retry policy says. */
  async #spent(id: string): Promise<void> {
    const { store, events } = this.#parts
    const present = store.get('subscription', id)
    const uri = subscriptionUri(id)
    const outcomes = {
      TerminateAfterRetries: (): Writes =>
        merged(endSubscription(id), events.writes([event('ResourceEvent.ResourceRemoved', uri)])),
      SuspendRetries: (): Writes =>
        merged(
          { subscription: { [id]: { suspended: true } } },
          events.writes([event('ResourceEvent.ResourceChanged', uri)])
        )
    }
    const policy = present?.retryPolicy
    if (policy !== 'TerminateAfterRetries' && policy !== 'SuspendRetries') return
    try {
      await store.commit(outcomes[policy], () => store.get('subscription', id) === present)
    } catch (error) {
      this.#parts.store.log.error('a subscription without attempts left was not ended', {
        subscription: id,
        cause: (error as Error).message
      })
    }
  }

  #destination(subscription: Subscription): Connection {
    const { secrets, settings, trust } = this.#parts
    if (subscription.syslog) return new SyslogDestination(subscription, settings, trust)
    const headers = subscription.headers === '' ? '{}' : secrets.open(subscription.headers)
    if (headers === undefined)
      this.#parts.store.log.error('headers were sealed with another key', { destination: subscription.destination })
    return new Destination(subscription, JSON.parse(headers ?? '{}'), settings, trust)
  }

  #body({ context, syslog }: Subscription, notices: readonly Notice[]): string {
    const { store, bodies } = this.#parts
    if (syslog) return notices.map((notice) => this.#frame(notice)).join('')
    const keys = notices.map(({ id }) => eventKey(id))
    const report = notices[0]?.table === 'report'
    return report ? reportBody(store.get('report', keys[0] ?? '')?.text ?? '{}', context) : bodies.event(keys, context)
  }

  /** Empty for an event that is there no more. */
  #frame({ id, line }: Notice): string {
    const { store, bodies, hostName } = this.#parts
    const host = hostName()
    if (line !== undefined) {
      const { time, level, text } = line
      const severity = lineSeverities[level as keyof typeof lineSeverities]
      return syslogFrame({ facility: lineFacility, severity, time, host, kind: 'log', text })
    }
    const key = eventKey(id)
    const event = store.get('event', key)
    if (event === undefined) return ''
    const severity = severityOf(event.severity)
    const kind = event.messageId.slice(event.messageId.lastIndexOf('.') + 1)
    const text = bodies.member(key)
    return syslogFrame({ facility: eventFacility, severity, time: event.created, host, kind, text })
  }

  /** Lines of level `debug` stay here: each delivery makes some. */
  #logged(line: LogLine): void {
    if (line.level === 'debug') return
    const message = { facility: lineFacility, severity: lineSeverities[line.level] } as const
    for (const { subscription, delivery } of this.#running.values())
      if (subscription.syslog && !subscription.suspended && passesSyslog(subscription.syslog, message))
        delivery.pushLine(line)
  }

  #arrived(table: 'event' | 'report', key: string): void {
    const { store, events, clock } = this.#parts
    const { backlog } = events
    const record = store.get(table, key)
    const id = Number(key)
    const deliveries = (record?.to ?? []).flatMap((each) => this.#running.get(each)?.delivery ?? [])
    const lacking = deliveries.filter((delivery) => delivery.lacks(id))
    for (const _ of lacking) backlog.hold(id)
    backlog.follow(table, key)
    const notice = { id, table, createdAt: measured(clock, Date.parse(record?.created ?? '')) }
    for (const delivery of lacking) delivery.push(notice)
  }

  /** A subscription that was changed goes on with its queue as it is. */
  #changed(id: string): void {
    const { store, events } = this.#parts
    const subscription = store.get('subscription', id)
    const running = this.#running.get(id)
    if (running === undefined) {
      if (subscription !== undefined) this.#begin(id)
    } else if (subscription === undefined) {
      this.#running.delete(id)
      running.delivery.close()
      running.destination.close()
      for (const notice of running.delivery.waiting) {
        if (logs('debug')) logOutcome(id, notice, 'deleted')
        if (notice.table !== 'line') events.backlog.release(notice.id)
      }
    } else {
      running.destination.end()
      running.destination = this.#destination(subscription)
      running.subscription = subscription
      running.delivery.changed()
    }
  }

  #saveSoon(id: string): void {
    this.#moved.add(id)
    if (this.#saving !== undefined || this.#closed) return
    this.#saving = setTimeout(() => {
      this.#saving = undefined
      void this.#save()
    }, this.#parts.settings.saveEvery * 1000)
  }

  async #save(): Promise<void> {
    const { store, events } = this.#parts
    const writes = () => merged({ delivery: this.#progress() }, events.backlog.cleared(0))
    try {
      await store.commit(writes)
    } catch (error) {
      this.#parts.store.log.error('the progress of deliveries was not stored', { cause: (error as Error).message })
    }
  }

  /** The records of the deliveries that progressed, without those of deleted subscriptions. */
  #progress(): { [id: string]: DeliveryRecord } {
    const moved = [...this.#moved].filter((id) => this.#parts.store.get('subscription', id) !== undefined)
    this.#moved.clear()
    return Object.fromEntries(
      moved.flatMap((id) => {
        const running = this.#running.get(id)
        return running === undefined ? [] : [[id, running.delivery.record]]
      })
    )
  }
}
