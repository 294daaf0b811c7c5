import type { Board } from '#data/board'
import { chassisUri } from '#data/chassis'
import { type EventRecord, eventKey, type Subscription, wantsEvent, wantsReport } from '#data/events'
import { appendEntries, logPath } from '#data/logs'
import { systemUri } from '#data/system'
import type { PowerEvent } from '#hal/power.ts'
import { logs } from '#runtime/base/log.ts'
import {
  define,
  type Event,
  event,
  isTest,
  merged,
  messageText,
  registryVersion,
  type TestEvent,
  type Writes
} from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from '../machine/machine.ts'
import { Backlog } from './backlog.ts'

/** The registries whose events are entries of a log as well: the others repeat what is seen in resources. */
const logged = new Set(['MgmtEvents', 'NetworkDevice', 'StorageDevice'])

const boots = { powerOn: 'MgmtEvents.ServerBootStarted', reset: 'MgmtEvents.ServerReset' } as const

const powered = { On: 'MgmtEvents.ServerPoweredOn', Off: 'MgmtEvents.ServerPoweredOff' } as const

/** Where clients know resources. */
export interface Places {
  /** The name of the schema of a resource, by its URI. */
  typeOf(uri: string): string | undefined
  /** A value with the URIs that clients know in place of the service's own. */
  shown<T>(value: T): T
}

/**
 * Stores events as records: one for each event, which names the subscriptions that it is for, and an entry in the log
 * of the system or manager that it is about. Ids of events are revisions of the store, which never repeat and only
 * grow.
 */
export class Events {
  /** Which records are still needed. */
  readonly backlog: Backlog
  readonly #store: Store
  readonly #board: Board
  readonly #limits: { readonly events: number; readonly logEntries: number }
  readonly #places: Places
  readonly #now: () => number

  constructor(
    store: Store,
    board: Board,
    { limits }: { readonly limits: { readonly events: number; readonly logEntries: number } },
    now: () => number,
    places: Places = { typeOf: () => undefined, shown: (value) => value }
  ) {
    this.backlog = new Backlog(store, limits.events)
    this.#store = store
    this.#board = board
    this.#limits = limits
    this.#places = places
    this.#now = now
  }

  /** The name of the schema of a resource, by its URI. */
  typeOf = (uri: string) => this.#places.typeOf(uri)

  /** Tells what the hosts' power and the chassis' lamps do. */
  watch(devices: Devices): void {
    for (const [system, power] of devices.power) power.on((change) => this.#power(system, change))
    for (const [chassis, indicator] of devices.indicators) {
      const origin = chassisUri(chassis)
      indicator.on((state) => void this.emit(event('MgmtResourceEvents.IndicatorChanged', origin, state)))
    }
  }

  /** Tells what no request asked for. Settles when it is on disk; what the disk refuses is lost, and logged. */
  async emit(...events: readonly (Event | TestEvent)[]): Promise<void> {
    await this.#tell(events, () => ({}))
  }

  /** @param more what the events leave behind besides their records */
  async #tell(events: readonly (Event | TestEvent)[], more: () => Writes): Promise<void> {
    try {
      await this.#store.commit(() => merged(more(), this.writes(events)))
    } catch (error) {
      const keys = events.map((each) => (isTest(each) ? each.test.messageId : each.message.key))
      this.#store.log.error('an event is lost', { keys, cause: (error as Error).message })
    }
  }

  /**
   * Queues a metric report for its subscribers; without any, stores nothing. Settles when it is on disk.
   *
   * @param report the MetricReport resource (DSP2046)
   * @param definition the canonical URI of its definition, without a trailing slash
   */
  async report(report: object, definition: string): Promise<void> {
    const writes = (): Writes => {
      const enabled = this.#enabled()
      const known = this.#places.shown(definition)
      const to = enabled ? this.#subscribed((each) => wantsReport(each, known)) : []
      if (to.length === 0) {
        this.#store.log.debug('a metric report is not delivered', { definition, cause: causeOf(enabled) })
        return {}
      }
      const key = eventKey(this.#store.revisions.next())
      const record = {
        created: new Date(this.#now()).toISOString(),
        text: JSON.stringify(this.#places.shown(report)),
        to
      }
      return merged(this.backlog.cleared(0), { report: { [key]: record } })
    }
    try {
      await this.#store.commit(writes)
    } catch (error) {
      this.#store.log.error('a metric report is lost', { definition, cause: (error as Error).message })
    }
  }

  /** The records that tell events. Only in the turn of a commit: numbers are given here. */
  writes(events: readonly (Event | TestEvent)[]): Writes {
    if (events.length === 0) return {}
    const records = events.map((each) => [eventKey(this.#store.revisions.next()), this.#record(each)] as const)
    const enabled = this.#enabled()
    if (logs('debug')) for (const [key, record] of records) logQueued(this.#store, key, record, enabled)
    let writes: Writes = enabled
      ? merged(this.backlog.cleared(records.length), { event: Object.fromEntries(records) })
      : {}
    const lines = new Map<string, EventRecord[]>()
    records.forEach(([, record], index) => {
      const each = events[index] as Event | TestEvent
      if (isTest(each) || !logged.has(registryOf(each))) return
      for (const path of this.#logs(each.origin)) lines.set(path, [...(lines.get(path) ?? []), record])
    })
    for (const [path, entries] of lines) {
      writes = merged(writes, appendEntries(this.#store, path, entries.map(entryOf), this.#limits.logEntries))
    }
    return writes
  }

  #record(each: Event | TestEvent): EventRecord {
    const created = new Date(this.#now()).toISOString()
    const shown = isTest(each) ? each.test : described(this.#places.shown(each))
    return { ...shown, created, to: this.#subscribed((each) => wantsEvent(each, shown, this.typeOf)) }
  }

  #enabled(): boolean {
    return this.#store.get('eventService', 'settings')?.enabled ?? true
  }

  #subscribed(wants: (subscription: Subscription) => boolean): string[] {
    return this.#store.keys('subscription').filter((id) => wants(this.#store.get('subscription', id) as Subscription))
  }

  /** The log of the system or manager that an event is about; otherwise that of every manager. */
  #logs(origin: string): string[] {
    const [, owner, id] = /^\/redfish\/v1\/(Systems|Managers)\/([^/]+)/.exec(origin) ?? []
    if (owner !== undefined && id !== undefined)
      return [logPath(owner as 'Systems' | 'Managers', decodeURIComponent(id))]
    return Object.keys(this.#board.managers).map((manager) => logPath('Managers', manager))
  }

  #power(system: string, change: PowerEvent): void {
    const origin = systemUri(system)
    if (change.type === 'boot') {
      const crash = () => (this.#store.get('crash', system) === undefined ? {} : { crash: { [system]: null } })
      void this.#tell([event(boots[change.cause], origin, system)], crash)
    }
    if (change.type === 'nmi') void this.emit(event('MgmtEvents.NonMaskableInterrupt', origin, system))
    if (change.type === 'ignored') {
      void this.emit(event('MgmtEvents.ShutdownIgnored', origin, system, String(change.time / 1000)))
    }
    if (change.type === 'panic') {
      const crash = { [system]: { time: new Date(this.#now()).toISOString() } }
      void this.#tell([event('MgmtEvents.ServerCrashed', origin, system)], () => ({ crash }))
    }
    if (change.type === 'failure') void this.emit(event('MgmtEvents.ServerFailed', origin, system, change.reason))
    if (change.type !== 'state') return
    const { state } = change
    const changed = event('MgmtResourceEvents.PowerStateChanged', origin, state)
    if (state === 'On' || state === 'Off') void this.emit(event(powered[state], origin, system), changed)
    else void this.emit(changed)
  }
}

function described({ message, origin }: Event) {
  const [registry = '', key = ''] = message.key.split('.')
  return {
    messageId: `${registry}.${registryVersion(registry)}.${key}`,
    args: message.args,
    text: messageText(message),
    severity: define(message.key).MessageSeverity as EventRecord['severity'],
    origin
  }
}

/** Logs the subscriptions that an event is queued for, or why it is queued for none. */
function logQueued({ log }: Store, key: string, { messageId, to }: EventRecord, enabled: boolean): void {
  const event = Number(key)
  if (enabled && to.length > 0) log.debug('an event is queued', { event, messageId, subscriptions: to })
  else log.debug('an event is not delivered', { event, messageId, cause: causeOf(enabled) })
}

/** The cause when an event is for no subscription. */
function causeOf(enabled: boolean): string {
  return enabled ? 'no subscription matches' : 'service disabled'
}

function registryOf({ message }: Event): string {
  return message.key.slice(0, message.key.indexOf('.'))
}

function entryOf({ created, severity, text, messageId, args }: EventRecord) {
  return { created, severity, text, messageId, args }
}
