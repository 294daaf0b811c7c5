import type { Configuration } from '#data/configuration'
import { eventKey, type OpenStream, streamId } from '#data/events'
import { busy, type Caller, type Sink, type Stream } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Backlog } from './backlog.ts'
import type { EventBodies } from './body.ts'

/** Seconds after which a client for whom there is no stream left may try again. */
const retryAfter = 30

interface Open extends OpenStream {
  readonly sink: Sink
  readonly caller: Caller
}

/** Streams of Server-Sent Events: each client sees every event, from the one after the last that it saw. */
export class EventStreams {
  readonly #store: Store
  readonly #backlog: Backlog
  readonly #bodies: EventBodies
  readonly #configuration: Configuration
  readonly #open = new Map<string, Open>()

  constructor(store: Store, backlog: Backlog, bodies: EventBodies, configuration: Configuration) {
    this.#store = store
    this.#backlog = backlog
    this.#bodies = bodies
    this.#configuration = configuration
    store.on('event', (key) => this.#send(key))
    store.on('session', (id) => this.#endWhere(({ session }) => session === id && this.#isGone('session', id)))
    store.on('account', (name) => this.#endWhere(({ user }) => user === name && this.#isGone('account', name)))
  }

  /** Those that are open, by their ids; `streams/` is the path of their revision. */
  get open(): ReadonlyMap<string, OpenStream> {
    return this.#open
  }

  /**
   * @param port of the client
   * @param lastEventId what the client saw last, as its header says it; what is no id of an event is nothing
   * @throws MessageError 503 where there are as many streams as may be
   */
  begin(caller: Caller, port: number, lastEventId: string | undefined): Stream {
    if (this.#open.size >= this.#configuration.limits.streams) throw busy(retryAfter)
    return (sink) => {
      const id = streamId(this.#store.revisions.next())
      const { address } = caller
      const host = address.includes(':') ? `[${address}]` : address
      return this.#begin(id, { context: id, destination: `redfish-sse://${host}:${port}`, sink, caller }, lastEventId)
    }
  }

  /** Ends a stream, if it is open. */
  end(id: string): void {
    const open = this.#open.get(id)
    this.#gone(id)
    open?.sink.end()
  }

  /** Ends all streams. */
  close(): void {
    this.#endWhere(() => true)
  }

  #begin(id: string, open: Open, lastEventId: string | undefined): () => void {
    const { streamKeepAlive } = this.#configuration.events
    open.sink.write(': these are the events\n\n')
    if (/^\d{1,16}$/.test(lastEventId ?? '')) {
      for (const event of this.#backlog.since(Number(lastEventId))) open.sink.write(this.#text(eventKey(event), open))
    }
    this.#open.set(id, open)
    this.#store.revisions.moved('streams/')
    const alive = setInterval(() => this.#write(open, ':\n\n'), streamKeepAlive * 1000)
    return () => {
      clearInterval(alive)
      this.#gone(id)
    }
  }

  #gone(id: string): void {
    if (this.#open.delete(id)) this.#store.revisions.moved('streams/')
  }

  #send(key: string): void {
    if (this.#open.size === 0 || this.#store.get('event', key) === undefined) return
    for (const open of this.#open.values()) this.#write(open, this.#text(key, open))
  }

  #isGone(table: 'session' | 'account', key: string): boolean {
    const record = this.#store.get(table, key)
    return record === undefined || ('enabled' in record && !record.enabled)
  }

  #endWhere(over: (caller: Caller) => boolean): void {
    for (const [id, { caller }] of [...this.#open]) if (over(caller)) this.end(id)
  }

  #text(key: string, { context }: Open): string {
    return `id: ${Number(key)}\ndata: ${this.#bodies.event([key], context)}\n\n`
  }

  /** A client that does not read loses its connection, and finds what it missed when it comes back. */
  #write({ sink, caller }: Open, text: string): void {
    if (sink.unread() <= this.#configuration.events.streamUnread) sink.write(text)
    else {
      log('warning', 'a stream was not read, and is cut', { user: caller.user, address: caller.address })
      sink.cut()
    }
  }
}
