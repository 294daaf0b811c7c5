import { Client } from 'undici'
import { admin, type Headers, type Json, type Scope, type Server } from './server.ts'

export interface SentEvent {
  readonly id: string
  readonly data: Json
}

/** A client of Server-Sent Events (HTML Living Standard 9.2) that remembers the last id. */
export class EventSource {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  lastEventId = ''
  /** All that came, comments and all. */
  text = ''
  readonly #client: Client
  readonly #chunks: AsyncIterator<Buffer>
  #rest = ''

  private constructor(client: Client, answer: Awaited<ReturnType<Client['request']>>) {
    this.status = answer.statusCode
    this.headers = answer.headers
    this.#client = client
    this.#chunks = answer.body[Symbol.asyncIterator]()
  }

  /** @param after the id of the last event that was seen; without one only new events come; `filter` is `$filter` */
  static async open(
    t: Scope,
    server: Server,
    after?: string,
    headers: Headers = admin,
    filter?: string
  ): Promise<EventSource> {
    const client = new Client(`https://127.0.0.1:${server.port}`, {
      connect: { rejectUnauthorized: false },
      bodyTimeout: 0
    })
    t.teardown(() => client.destroy())
    const answer = await client.request({
      method: 'GET',
      path: `/redfish/v1/EventService/SSE${filter === undefined ? '' : `?$filter=${encodeURIComponent(filter)}`}`,
      headers: { accept: 'text/event-stream', ...headers, ...(after !== undefined && { 'last-event-id': after }) }
    })
    return new EventSource(client, answer)
  }

  /** The next event; undefined when the stream ends. */
  async next(): Promise<SentEvent | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.#rest.slice(0, end).split('\n')
        this.#rest = this.#rest.slice(end + 2)
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const { id = this.lastEventId, data } = { id: field('id'), data: field('data') }
        if (data === undefined) continue
        this.lastEventId = id
        return { id, data: JSON.parse(data) }
      }
      const { done, value } = await this.#chunks.next()
      if (done) return undefined
      this.text += value.toString()
      this.#rest += value.toString()
    }
  }

  /** The next event that a filter lets through. */
  async find(wanted: (event: Json) => boolean): Promise<SentEvent> {
    for (;;) {
      const event = await this.next()
      if (event === undefined) throw new Error('the stream ended')
      if (wanted(event.data.Events[0])) return event
    }
  }

  async close(): Promise<void> {
    await this.#client.destroy()
  }
}
