import type { Board } from '#data/board'
import { chassisUri } from '#data/chassis'
import { type EventRecord, eventKey, type Subscription, wantsEvent, wantsReport } from '#data/events'
import { conditionKey } from '#data/health'
import { appendEntries, isInLog, type LogEntry, logPath, packSel, selEventOf } from '#data/logs'
import { systemUri } from '#data/system'
import { changedSoftware, components } from '#data/updates'
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

/**
 * The registries whose events are entries of a log as well, unless they are about such an entry: the others repeat what is
 * seen in resources.
 */
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

  /** Tells what the hosts' power and the chassis' lamps do, and which firmware there is. */
  watch(devices: Devices): void {
    for (const [system, power] of devices.power) power.on((change) => this.#power(system, change))
    for (const [chassis, indicator] of devices.indicators) {
      const origin = chassisUri(chassis)
      indicator.on((state) => void this.emit(event('MgmtResourceEvents.IndicatorChanged', origin, state)))
    }
    for (const { id } of components(this.#board)) {
      const firmware = devices.firmware.get(id)
      if (firmware === undefined) continue
      // As a text, and the component by its id: a fleet has four of them for each controller.
      let last = JSON.stringify(firmware.state)
      firmware.on((state) => {
        const component = components(this.#board).find((each) => each.id === id)
        const changed = changedSoftware(this.#board, component!, JSON.parse(last), state)
        last = JSON.stringify(state)
        if (changed.length > 0) void this.emit(...changed.map((uri) => event('ResourceEvent.ResourceChanged', uri)))
      })
    }
  }

  /** Tells what no request asked for. Settles when it is on disk; what the disk refuses is lost, and logged. */
  async emit(...events: readonly (Event | TestEvent)[]): Promise<void> {
    try {
      await this.#store.commit(() => this.writes(events))
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

  /** The records that tell events, and the conditions that begin or end with them. Only in the turn of a commit: numbers are given here. */
  writes(events: readonly (Event | TestEvent)[]): Writes {
    if (events.length === 0) return {}
    const records = events.map((each) => [eventKey(this.#store.revisions.next()), this.#record(each)] as const)
    const enabled = this.#enabled()
    const sent = records.filter((_, index) => isSent(events[index]!))
    let writes: Writes =
      enabled && sent.length > 0 ? merged(this.backlog.cleared(sent.length), { event: Object.fromEntries(sent) }) : {}
    if (logs('debug')) for (const [key, record] of sent) logQueued(this.#store, key, record, enabled)
    const lines = new Map<string, Line[]>()
    const add = (path: string, line: Line) => lines.set(path, [...(lines.get(path) ?? []), line])
    records.forEach(([, record], index) => {
      const of = events[index] as Event | TestEvent
      if (isTest(of) || !isLogged(of)) return
      for (const path of this.#logs(of.origin)) add(path, { record, of })
      const sel = selEventOf(this.#board, of)
      if (sel !== undefined) add(logPath('Systems', sel.system, 'SEL'), { record, of, sel: packSel(sel.event) })
    })
    const entries = new Map<Event, string>()
    for (const [path, lined] of lines) {
      const most = this.#limits.logEntries
      const appended = appendEntries(this.#store, path, lined.map(entryOf), most)
      const keys = Object.entries(appended.logEntry).flatMap(([key, entry]) => (entry === null ? [] : key))
      for (const [at, { of, sel }] of lined.entries())
        if (sel === undefined && !entries.has(of)) entries.set(of, keys[at] as string)
      writes = merged(writes, appended)
    }
    for (const each of events)
      if (!isTest(each)) writes = merged(writes, this.#conditions(each, entries.get(each), writes))
    return writes
  }

  /**
   * The condition that begins or ends with an event. One that is there already stays as it began.
   *
   * @param entry the key of the event's log entry
   * @param writes of all events so far
   */
  #conditions(each: Event, entry: string | undefined, { logEntry = {} }: Writes): Writes {
    const { origin, raises, clears } = each
    const now = new Date(this.#now()).toISOString()
    if (raises !== undefined) {
      const key = conditionKey(origin, raises)
      if (this.#store.get('condition', key) !== undefined) return {}
      return { condition: { [key]: { ...described(each), created: now, ...(entry && { entry }) } } }
    }
    if (clears === undefined) return {}
    const key = conditionKey(origin, clears)
    const told = this.#store.get('condition', key)?.entry
    const isKept = told !== undefined && this.#store.get('logEntry', told) !== undefined && logEntry[told] !== null
    return { condition: { [key]: null }, ...(isKept && { logEntry: { [told]: { resolved: now } } }) }
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
    if (change.type === 'boot') void this.emit({ ...event(boots[change.cause], origin, system), clears: 'crash' })
    if (change.type === 'nmi') void this.emit(event('MgmtEvents.NonMaskableInterrupt', origin, system))
    if (change.type === 'ignored') {
      void this.emit(event('MgmtEvents.ShutdownIgnored', origin, system, String(change.time / 1000)))
    }
    if (change.type === 'panic')
      void this.emit({ ...event('MgmtEvents.ServerCrashed', origin, system), raises: 'crash' })
    if (change.type === 'failure') void this.emit(event('MgmtEvents.ServerFailed', origin, system, change.reason))
    if (change.type !== 'state' || change.state === undefined) return
    const { state } = change
    const changed = event('MgmtResourceEvents.PowerStateChanged', origin, state)
    if (state === 'On' || state === 'Off') void this.emit(event(powered[state], origin, system), changed)
    else void this.emit(changed)
  }
}

function isSent(event: Event | TestEvent): boolean {
  return isTest(event) || (event.audience?.subscribers ?? true)
}

function isLogged(event: Event): boolean {
  return event.audience?.log ?? (logged.has(registryOf(event)) && !isInLog(event.origin))
}

function described({ message, origin, severity }: Event) {
  const [registry = '', key = ''] = message.key.split('.')
  return {
    messageId: `${registry}.${registryVersion(registry)}.${key}`,
    args: message.args,
    text: messageText(message),
    severity: severity ?? (define(message.key).MessageSeverity as EventRecord['severity']),
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

/** An event for a log; for an SEL, with what it has of it. */
interface Line {
  readonly record: EventRecord
  readonly of: Event
  readonly sel?: string
}

function entryOf({ record: { created, severity, text, messageId, args }, of, sel }: Line): LogEntry {
  const entry = { created, severity, text, messageId, args }
  if (sel !== undefined) return { ...entry, sel }
  return {
    ...entry,
    ...(of.audience !== undefined && { origin: of.origin }),
    ...(of.raises !== undefined && { resolved: null })
  }
}
