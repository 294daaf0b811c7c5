import type { Configuration } from '#data/configuration'
import { type EventRecord, eventKey, eventTypeOf, type OpenStream, prefixOf, streamId } from '#data/events'
import { definitionUri } from '#data/telemetry'
import { busy, type Caller, type Members, type Reader, type Sink, type Stream } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Backlog } from './backlog.ts'
import { type EventBodies, reportBody } from './body.ts'
import type { Events } from './events.ts'

/** Seconds after which a client for whom there is no stream left may try again. */
const retryAfter = 30

interface Open extends OpenStream {
  readonly sink: Sink
  readonly caller: Caller
  /** Absent: every event, and no report. */
  readonly wants: Wants | undefined
}

/** Whether a stream wants what has these properties: those of `SSEFilterPropertiesSupported` (DSP0266 13.6.2). */
type Wants = (properties: object) => boolean

/**
 * Streams of Server-Sent Events: each client sees every event that its filter lets through, from the one after the last
 * that it saw; and metric reports, if it asks for them.
 */
export class EventStreams {
  readonly #store: Store
  readonly #backlog: Backlog
  readonly #bodies: EventBodies
  readonly #configuration: Configuration
  readonly #typeOf: Events['typeOf']
  readonly #open = new Map<string, Open>()
  /** Streams, and those to whom a place is promised. */
  #places = 0

  constructor(store: Store, { backlog, typeOf }: Events, bodies: EventBodies, configuration: Configuration) {
    this.#store = store
    this.#backlog = backlog
    this.#bodies = bodies
    this.#configuration = configuration
    this.#typeOf = typeOf
    store.on('event', (key) => this.#send(key))
  }

  members(reader: Reader): Members<'streams'> {
    return {
      streams: () => {
        reader.track('streams/')
        return this.#open
      }
    }
  }

  /**
   * The place is taken at once. It is free again when the client of what is returned has gone.
   *
   * @param port of the client
   * @param lastEventId what the client saw last, as its header says it; what is no id of an event is nothing
   * @param wants the filter of the client
   * @throws MessageError 503 if there are as many streams as may be
   */
  begin(caller: Caller, port: number, lastEventId: string | undefined, wants?: Wants): Stream {
    if (this.#places >= this.#configuration.limits.streams) throw busy(retryAfter)
    this.#places += 1
    return (sink) => {
      const id = streamId(this.#store.revisions.next())
      const { address } = caller
      const host = address.includes(':') ? `[${address}]` : address
      const destination = `redfish-sse://${host}:${port}`
      return this.#begin(id, { context: id, destination, sink, caller, wants }, lastEventId)
    }
  }

  /** Whether a stream is open. */
  get hasAny(): boolean {
    return this.#open.size > 0
  }

  /**
   * Sends a metric report to the streams that ask for it, without an id: it is not kept for clients that reconnect.
   *
   * A stream that names a definition asks for its reports for as long as it is open, of whatever type they are. One that
   * asks for all reports gets those that are pushed.
   *
   * @param definition its id
   * @param report makes it; called only if a stream wants it
   */
  report(definition: string, isPushed: boolean, report: () => object): void {
    if (!this.hasAny || !(this.#store.get('eventService', 'settings')?.enabled ?? true)) return
    const format = isPushed ? { EventFormatType: 'MetricReport' } : {}
    const properties = { MetricReportDefinition: `${definitionUri(definition)}/`, ...format }
    const wanting = [...this.#open.values()].filter(({ wants }) => wants?.(properties))
    if (wanting.length === 0) return
    const text = JSON.stringify(report())
    for (const open of wanting) this.#write(open, `data: ${reportBody(text, open.context)}\n\n`)
  }

  /** Ends a stream, if it is open. */
  end(id: string): void {
    const open = this.#open.get(id)
    this.#gone(id)
    open?.sink.end()
  }

  /** Ends all streams. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.end(id)
  }

  #begin(id: string, open: Open, lastEventId: string | undefined): () => void {
    const { streamKeepAlive } = this.#configuration.events
    open.sink.write(': these are the events\n\n')
    if (/^\d{1,16}$/.test(lastEventId ?? '')) {
      for (const event of this.#backlog.since(Number(lastEventId))) {
        for (const text of this.#texts(eventKey(event), open)) open.sink.write(text)
      }
    }
    this.#open.set(id, open)
    this.#store.revisions.moved('streams/')
    const alive = setInterval(() => this.#write(open, ':\n\n'), streamKeepAlive * 1000)
    return () => {
      clearInterval(alive)
      this.#places -= 1
      this.#gone(id)
    }
  }

  #gone(id: string): void {
    if (this.#open.delete(id)) this.#store.revisions.moved('streams/')
  }

  #send(key: string): void {
    for (const open of this.#open.values()) for (const text of this.#texts(key, open)) this.#write(open, text)
  }

  /** An event as a stream gets it: nothing where the event is gone, or the stream does not want it. */
  #texts(key: string, { context, wants }: Open): string[] {
    const record = this.#store.get('event', key)
    if (record === undefined || wants?.(this.#properties(record)) === false) return []
    return [`id: ${Number(key)}\ndata: ${this.#bodies.event([key], context)}\n\n`]
  }

  #properties(record: EventRecord): object {
    const { messageId, origin } = record
    return {
      EventFormatType: 'Event',
      EventType: eventTypeOf(record),
      MessageId: messageId,
      RegistryPrefix: prefixOf(messageId),
      ...(origin !== '' && { OriginResource: `${origin}/`, ResourceType: this.#typeOf(origin) })
    }
  }

  /** A client that does not read loses its connection, and finds what it missed when it comes back. */
  #write({ sink, caller }: Open, text: string): void {
    if (sink.unread() <= this.#configuration.events.streamUnread) sink.write(text)
    else {
      this.#store.log.warning('an event stream was closed: its client did not read it', {
        user: caller.user,
        address: caller.address
      })
      sink.cut()
    }
  }
}
