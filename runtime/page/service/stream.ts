import { signal } from '@preact/signals'
import { ask, Failure, session } from './client.ts'
import { eventReader } from './event-stream.ts'

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

/** How the page hears of changes: not yet, live, or not at the moment. `full`: the service has no stream left. */
export const connection = signal<'opening' | 'live' | 'lost' | 'full'>('opening')

/** The newest events, the newest first; no more than a log has. */
export const events = signal<readonly ShownEvent[]>([])

const most = 250

/** A stream that says nothing for so long is dead: it shows every 30 seconds that it is alive. In milliseconds. */
const silence = 75_000

/** The longest wait before the next attempt, in milliseconds. */
const longestWait = 8000

/** The last event that was seen. */
let last = ''

/**
 * Follows the events of the service for as long as the page is there. After an interruption it goes on where it was.
 *
 * @param heard is told of each event
 * @param back is called each time when the stream stands again
 */
export async function follow(heard: (event: ShownEvent) => void, back: () => void): Promise<void> {
  for (let wait = 500; ; wait = Math.min(wait * 2, longestWait)) {
    try {
      await read(heard, () => {
        if (connection.value !== 'opening') back()
        connection.value = 'live'
        wait = 500
      })
    } catch (error) {
      if (session.value === undefined) return
      connection.value = error instanceof Failure && error.status === 503 ? 'full' : 'lost'
    }
    if (connection.value === 'live') connection.value = 'lost'
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Reads one stream to its end. */
async function read(heard: (event: ShownEvent) => void, stands: () => void): Promise<void> {
  const controller = new AbortController()
  const headers = { Accept: 'text/event-stream', ...(last !== '' && { 'Last-Event-ID': last }) }
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(), silence)
  }
  alive()
  try {
    const answer = await ask('/redfish/v1/EventService/SSE', { headers, signal: controller.signal, cache: 'no-store' })
    if (!answer.ok || answer.body === null) throw new Failure(answer.status, [])
    stands()
    const add = eventReader(({ id, data }) => {
      last = id
      const { Events } = JSON.parse(data) as { Events?: readonly ShownEvent[] }
      for (const event of Events ?? []) note(event, heard)
    })
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
