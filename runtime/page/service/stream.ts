import { effect, signal, untracked } from '@preact/signals'
import { expired, send, session } from './client.ts'
import { type Connection, connection, isVisible, keepReading } from './connection.ts'
import type { ServerSentEvent } from './event-stream.ts'
import { joinTabs, type Tabs } from './tabs.ts'

/** An event as the stream shows it (DSP0268, Event.Events). */
export interface ShownEvent {
  readonly EventId: string
  readonly EventTimestamp?: string
  readonly EventType?: string
  readonly MessageId: string
  readonly MessageArgs?: readonly string[]
  readonly Message?: string
  readonly MessageSeverity?: string
  readonly OriginOfCondition?: { readonly '@odata.id': string }
}

/** A metric report as the stream shows it (DSP0268, MetricReport). */
export interface ShownReport {
  readonly MetricValues?: readonly ShownValue[]
}

interface ShownValue {
  readonly MetricProperty: string
  readonly MetricValue: string | null
  readonly Timestamp: string
}

/** The newest events, the newest first; no more than a log has. */
export const events = signal<readonly ShownEvent[]>([])

const most = 250

/** Every event, and the reports of all definitions: a filter that asks for definitions asks for their reports. */
const withReports = `?$filter=${encodeURIComponent("EventFormatType eq 'Event' or MetricReportDefinition ne null")}`

/** The messages between the tabs of a user. */
type Told =
  /** From the stream. */
  | ServerSentEvent
  /** How the stream is; `stands`: it has just been opened, and no other was open before. */
  | { readonly state: Connection; readonly stands: boolean }
  /** Whether a tab wants reports. One that joins asks so how the stream is. */
  | { readonly tab: string; readonly reports: boolean }

/** This tab among those of the user. */
const tab = String(Math.random())

/** The listeners for metric reports in this tab. */
const listeners = new Set<(report: ShownReport) => void>()

let wantsReports: (isSo: boolean) => void = () => {}

/** The last event that this tab has seen. */
let last = ''

/**
 * Follows the events of the service while the page is visible and a user is logged in. The tabs of a user in one
 * browser share a stream: a browser opens no more than six connections to a service over HTTP/1.1.
 *
 * @param heard called with each event
 * @param back is called each time when something may have been missed
 */
export function followEvents(heard: (event: ShownEvent) => void, back: () => void): void {
  let hasMissed = false
  effect(() => {
    // A tab whose session is over sees no more, whoever holds the stream.
    if (session.value === undefined || expired.value || !isVisible.value) {
      hasMissed = true
      return
    }
    const { user } = session.value
    const left = new AbortController()
    untracked(() => {
      if (hasMissed) back()
      follow(user, left.signal, (event) => isOwnEnd(event) || heard(event), back)
    })
    return () => {
      hasMissed = true
      wantsReports(false)
      left.abort()
    }
  })
}

/** Whether something happened to the session of this tab: then the session is read, which shows whether it is over. */
function isOwnEnd({ OriginOfCondition }: ShownEvent): boolean {
  const { uri } = session.value ?? {}
  const isIt = uri !== undefined && OriginOfCondition?.['@odata.id'] === new URL(uri, location.href).pathname
  if (isIt) void send('GET', uri).catch(() => {})
  return isIt
}

/** Follows the metric reports as well. @returns ends it */
export function followReports(heard: (report: ShownReport) => void): () => void {
  listeners.add(heard)
  wantsReports(true)
  return () => {
    listeners.delete(heard)
    wantsReports(listeners.size > 0)
  }
}

/** Takes part in the stream of a user's tabs. */
function follow(user: string, left: AbortSignal, heard: (event: ShownEvent) => void, back: () => void): void {
  /** The tabs that want reports. */
  const wanting = new Set<string>()
  let stream: AbortController | undefined
  const hear = (told: Told) => {
    if ('data' in told) take(told, heard)
    else if ('state' in told) {
      // Without an event to go on after, those of the meantime are not sent again.
      if (told.stands && connection.value !== 'opening' && (connection.value !== 'live' || last === '')) back()
      connection.value = told.state
    } else note(told)
  }
  /** Only who leads needs it; others take note in case that they do. */
  const note = ({ tab, reports }: { readonly tab: string; readonly reports: boolean }) => {
    const before = wanting.size
    if (reports) wanting.add(tab)
    else wanting.delete(tab)
    if (stream === undefined) return
    tabs.tell({ state: connection.value, stands: false })
    if (before > 0 !== wanting.size > 0) stream.abort()
  }
  const tell = (told: Told) => {
    tabs.tell(told)
    hear(told)
  }
  const lead = () =>
    keepReading(left, {
      begin() {
        stream = new AbortController()
        return {
          replaced: stream.signal,
          uri: `/redfish/v1/EventService/SSE${wanting.size > 0 ? withReports : ''}`,
          last
        }
      },
      found: tell,
      changed: (state, isGapless) => tell({ state, stands: state === 'live' && !isGapless })
    })
  const tabs: Tabs<Told> = joinTabs(`events of ${user}`, left, hear, () => void lead())
  wantsReports = (reports) => tell({ tab, reports })
  wantsReports(listeners.size > 0)
}

/** Takes an event or a report from the stream. */
function take({ id, data }: ServerSentEvent, heard: (event: ShownEvent) => void): void {
  const body: { readonly Events?: readonly ShownEvent[] } & ShownReport = JSON.parse(data)
  if (id !== '') last = id
  if (body.MetricValues !== undefined) for (const listener of listeners) listener(body)
  for (const event of body.Events ?? []) {
    if (events.value.some((each) => each.EventId === event.EventId)) continue
    events.value = [event, ...events.value].slice(0, most)
    heard(event)
  }
}
