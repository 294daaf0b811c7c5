import { type Signal, signal } from '@preact/signals'
import { Failure } from '../rules/failure.ts'
import { ask, session } from './client.ts'
import { eventReader, type ServerSentEvent } from './event-stream.ts'

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

/** Not open yet, live, or not at the moment. `full`: the service has no stream left. */
export type Connection = 'opening' | 'live' | 'lost' | 'full'

/** The events by which the page learns of changes. */
export const connection = signal<Connection>('opening')

/** The same for readings, while it wants them. */
export const readings = signal<Connection>('opening')

/** The newest events, the newest first; no more than a log has. */
export const events = signal<readonly ShownEvent[]>([])

const most = 250

/** A stream that says nothing for so long is dead: it shows every 30 seconds that it is alive. In milliseconds. */
const silence = 75_000

/** The longest wait before the next attempt, in milliseconds. */
const longestWait = 8000

/**
 * Follows the events of the service for as long as the page is there.
 *
 * @param heard called with each event
 * @param back is called each time when the stream stands again
 */
export function followEvents(heard: (event: ShownEvent) => void, back: () => void): void {
  const each = ({ Events = [] }: { readonly Events?: readonly ShownEvent[] }) => {
    for (const event of Events) note(event, heard)
  }
  void follow('', connection, each, back)
}

/**
 * Follows the metric reports of all definitions. A filter that asks for definitions asks for their reports.
 *
 * @returns ends it
 */
export function followReports(heard: (report: ShownReport) => void, back: () => void): () => void {
  const controller = new AbortController()
  void follow('?$filter=MetricReportDefinition%20ne%20null', readings, heard, back, controller.signal)
  return () => controller.abort()
}

/** Follows a stream, and resumes it after an interruption. */
async function follow<T>(
  query: string,
  state: Signal<Connection>,
  heard: (body: T) => void,
  back: () => void,
  signal?: AbortSignal
): Promise<void> {
  let last = ''
  state.value = 'opening'
  for (let wait = 500; !signal?.aborted; wait = Math.min(wait * 2, longestWait)) {
    const stands = () => {
      if (state.value !== 'opening') back()
      state.value = 'live'
      wait = 500
    }
    try {
      await read(query, last, signal, stands, ({ id, data }) => {
        last = id
        heard(JSON.parse(data))
      })
      state.value = 'lost'
    } catch (error) {
      if (session.value === undefined || signal?.aborted) return
      state.value = error instanceof Failure && error.status === 503 ? 'full' : 'lost'
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Reads one stream to its end. */
async function read(
  query: string,
  last: string,
  signal: AbortSignal | undefined,
  stands: () => void,
  found: (event: ServerSentEvent) => void
): Promise<void> {
  const controller = new AbortController()
  signal?.addEventListener('abort', () => controller.abort())
  const headers = { Accept: 'text/event-stream', ...(last !== '' && { 'Last-Event-ID': last }) }
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(), silence)
  }
  alive()
  try {
    const answer = await ask(`/redfish/v1/EventService/SSE${query}`, {
      headers,
      signal: controller.signal,
      cache: 'no-store'
    })
    if (!answer.ok || answer.body === null) throw new Failure(answer.status, [])
    stands()
    const add = eventReader(found)
    const decoder = new TextDecoder()
    const reader = answer.body.getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      alive()
      add(decoder.decode(piece.value, { stream: true }))
    }
  } finally {
    clearTimeout(timer)
  }
}

function note(event: ShownEvent, heard: (event: ShownEvent) => void): void {
  if (events.value.some((each) => each.EventId === event.EventId)) return
  events.value = [event, ...events.value].slice(0, most)
  heard(event)
}
