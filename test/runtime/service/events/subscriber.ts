import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Json, Scope } from '#test/host/server.ts'

/** A notification as it arrived. */
export interface Notification {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Json
  /** The subject of the certificate that the service showed. */
  readonly shown: string | undefined
}

/** How a subscriber answers; it has read the notification by then. */
export type Behaviour = (response: ServerResponse, notification: Notification) => void

export const accepts: Behaviour = (response) => response.writeHead(204).end()

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end()

/** A real HTTPS listener that receives events. */
export class Subscriber {
  readonly port: number
  readonly received: Notification[] = []
  behaviour: Behaviour = accepts
  connections = 0
  #taken = 0
  #arrived: () => void = () => undefined
  #closed: () => void = () => undefined

  private constructor(port: number) {
    this.port = port
  }

  get uri(): string {
    return `https://127.0.0.1:${this.port}/events`
  }

  /** @param options key and certificate, and what is asked of clients */
  static async open(t: Scope, options: ServerOptions, port = 0): Promise<Subscriber> {
    // An idle connection ends only if the service ends it.
    const server = createServer(
      { keepAliveTimeout: 0, ...options },
      (request, response) => void subscriber.#serve(request, response)
    )
    server.on('secureConnection', (socket) => {
      subscriber.connections += 1
      socket.once('close', () => subscriber.#closed())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const subscriber = new Subscriber((server.address() as AddressInfo).port)
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    return subscriber
  }

  /** The next notification that was not asked for yet. */
  async next(): Promise<Notification> {
    while (this.#taken >= this.received.length) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
    this.#taken += 1
    return this.received[this.#taken - 1] as Notification
  }

  /** Leaves the next notification without an answer. @returns gives it, and later ones are accepted */
  hold(answer: Behaviour = accepts): () => void {
    let give = () => {}
    this.behaviour = (response, notification) => {
      give = () => answer(response, notification)
      this.behaviour = accepts
    }
    return () => give()
  }

  /** Settles when the next connection ends. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = resolve
    })
  }

  /** The next event that was not asked for yet, of a subscriber that is told them one by one or several at once. */
  async nextEvents(count: number): Promise<Json[]> {
    const events: Json[] = []
    while (events.length < count) events.push(...(await this.next()).json.Events)
    return events
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = request
    const subject = (request.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined
    const json = text === '' ? undefined : JSON.parse(text)
    const notification = { method, path: url, headers, text, json, shown: subject?.CN }
    this.received.push(notification)
    this.#arrived()
    this.behaviour(response, notification)
  }
}

/** A port of this machine without a listener. */
export async function deadPort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
