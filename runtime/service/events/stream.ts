import type { Configuration } from '#data/configuration'
import { eventKey } from '#data/events'
import { type Caller, MessageError, message, type Sink, type Stream } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Backlog } from './backlog.ts'
import type { EventBodies } from './body.ts'

/** Seconds after which a client for whom there is no stream left may try again. */
const retryAfter = '30'

interface Open {
  readonly sink: Sink
  readonly caller: Caller
}

/** Streams of Server-Sent Events: each client sees every event, from the one after the last that it saw. */
export class EventStreams {
  readonly #store: Store
  readonly #backlog: Backlog
  readonly #bodies: EventBodies
  readonly #configuration: Configuration
  readonly #open = new Set<Open>()

  constructor(store: Store, backlog: Backlog, bodies: EventBodies, configuration: Configuration) {
    this.#store = store
    this.#backlog = backlog
    this.#bodies = bodies
    this.#configuration = configuration
    store.on('event', (key) => this.#send(key))
    store.on('session', (id) => this.#endWhere(({ session }) => session === id && this.#isGone('session', id)))
    store.on('account', (name) => this.#endWhere(({ user }) => user === name && this.#isGone('account', name)))
  }

  /**
   * @param lastEventId what the client saw last, as its header says it; what is no id of an event is nothing
   * @throws MessageError 503 where there are as many streams as may be
   */
  open(caller: Caller, lastEventId: string | undefined): Stream {
    if (this.#open.size >= this.#configuration.limits.streams) {
      throw new MessageError(503, [message('Base.ServiceTemporarilyUnavailable', retryAfter)], {
        'Retry-After': retryAfter
      })
    }
    return (sink) => this.#begin({ sink, caller }, lastEventId)
  }

  /** Ends all streams. */
  close(): void {
    this.#endWhere(() => true)
  }

  #begin(open: Open, lastEventId: string | undefined): () => void {
    const { streamKeepAlive } = this.#configuration.events
    open.sink.write(': these are the events\n\n')
    if (/^\d{1,16}$/.test(lastEventId ?? '')) {
      for (const id of this.#backlog.since(Number(lastEventId))) open.sink.write(this.#text(eventKey(id)))
    }
    this.#open.add(open)
    const alive = setInterval(() => this.#write(open, ':\n\n'), streamKeepAlive * 1000)
    return () => {
      clearInterval(alive)
      this.#open.delete(open)
    }
  }

  #send(key: string): void {
    if (this.#open.size === 0 || this.#store.get('event', key) === undefined) return
    const text = this.#text(key)
    for (const open of this.#open) this.#write(open, text)
  }

  #isGone(table: 'session' | 'account', key: string): boolean {
    const record = this.#store.get(table, key)
    return record === undefined || ('enabled' in record && !record.enabled)
  }

  #endWhere(over: (caller: Caller) => boolean): void {
    for (const { sink, caller } of [...this.#open]) if (over(caller)) sink.end()
  }

  #text(key: string): string {
    return `id: ${Number(key)}\ndata: ${this.#bodies.event([key])}\n\n`
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
