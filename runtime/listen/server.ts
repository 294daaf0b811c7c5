import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Configuration } from '#data/configuration'
import type { Listeners } from '#runtime/base/listeners.ts'
import { log } from '#runtime/base/log.ts'
import { sleep } from '#runtime/base/sleep.ts'
import type { Caller, Stream } from '#runtime/contract'
import type { Answer } from '#runtime/request/answer.ts'
import type { Arrival, Begun } from '#runtime/request/handle.ts'
import { type Head, type Local, readHead, readRefused } from '#runtime/request/head.ts'
import type { Refusals } from '#runtime/request/refusals.ts'
import { asksForWebSocket } from '#runtime/request/web-socket.ts'
import { type Accepted, Connections } from './connections.ts'
import { Exchange, type Incoming, type Outgoing } from './exchange.ts'
import { answerLast, switchProtocols, withoutUpgrade } from './handed-over.ts'
import { Reception } from './reception.ts'
import { type Lasting, type Repeating, Repeats } from './repeats.ts'
import { sinkTo } from './sink.ts'
import { type Certified, type Secured, ServerTls } from './tls.ts'
import { UnreadAnswers } from './unread.ts'
import { type Tunnel, webSocket } from './web-socket.ts'

export type { Local }

/** The connection of a request that offers another protocol. */
type Upgraded = Tunnel & Secured & Socket

/** Bytes that a host's parser does not take. */
interface Refused extends Error {
  readonly code?: string
  /** The bytes in which it stands. */
  readonly rawPacket?: Uint8Array
}

const refusals: Readonly<Record<string, 400 | 408 | 431 | 501 | 505>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_INVALID_METHOD: 501,
  HPE_INVALID_VERSION: 505,
  ERR_HTTP_REQUEST_TIMEOUT: 408
}

/** A status of RFC 6455 7.4.1. */
const goingAway = 1001

/** Answers requests: the handling of a service, or of many, by the address that the client connected to. */
export interface Answering extends Pick<Refusals, 'malformed' | 'tooLarge' | 'noRoom'> {
  onDropped?(listener: (uri: string) => void): () => void
  methodUnknown(head: Head | undefined, socket: Local): Promise<Answer>
  begin(head: Head, arrival: Arrival, socket: Local): Begun | Promise<Begun>
}

/**
 * A host's way to have a server accept connections at one more place.
 *
 * @returns the place, whose port differs from the one asked for when that was 0
 * @throws when the address or port cannot be had, with the system's `code`
 */
export type ListenAlso = (server: Server, port: number, address: string) => Promise<Listening>

/** A place where a server accepts connections. */
export interface Listening {
  readonly port: number
  /** Accepts no more connections there. @returns a promise that settles when those accepted there have ended, if it is known */
  close(): Promise<void> | void
}

/** The served content: one service, or many. */
export interface Served extends Certified, Lasting {
  readonly handling: Answering
}

/** The HTTPS listener. It reads heads and bodies within their limits and sends each answer in one write. */
export class HttpsServer {
  readonly #server: Server
  readonly #handling: Answering
  readonly #headLimit: number
  readonly #tls: ServerTls
  readonly #connections: Connections
  readonly #reception: Reception
  readonly #unread: UnreadAnswers
  readonly #repeats: Repeats
  /** Streams and WebSockets. */
  readonly #streams = new Set<{ end(reason: number): void; cut(): void }>()
  readonly #keepAlive: number
  readonly #endings: readonly (() => void)[]
  /** Beside the first one. */
  readonly #places = new Set<Listening>()
  #closing = false

  constructor(served: Served, { limits, console }: Configuration) {
    const { handling } = served
    this.#handling = handling
    this.#headLimit = limits.head
    this.#connections = new Connections(limits)
    this.#unread = new UnreadAnswers(limits.unreadAnswers)
    this.#keepAlive = console.keepAlive * 1000
    this.#tls = new ServerTls(served)
    const time = limits.requestTime * 1000
    const options = {
      ...this.#tls.options,
      noDelay: true,
      maxHeaderSize: limits.head,
      headersTimeout: time,
      requestTimeout: time,
      keepAliveTimeout: limits.keepAlive * 1000,
      handshakeTimeout: limits.handshakeTime * 1000,
      maxRepeats: limits.repeats,
      connectionsCheckingInterval: Math.min(time / 2, 5000),
      requireHostHeader: true
    }
    this.#server = createServer(options, (request, response) => this.#serve(request, response, false))
    this.#repeats = new Repeats(this.#server as Repeating, served)
    this.#reception = new Reception(this.#server, time, limits, handling)
    this.#server.on('checkContinue', (request, response) => this.#serve(request, response, true))
    this.#server.on('upgrade', (request, socket, rest) => this.#upgrade(request, socket as Upgraded, rest))
    this.#server.on('connection', (socket) => this.#connections.accept(socket as Accepted))
    this.#server.on('recognized', (socket: object) => {
      this.#connections.of(socket).authenticated = true
    })
    this.#server.on('repeated', (socket: object) => this.#connections.answered(this.#connections.of(socket)))
    // Node.js silently forgets fields beyond this many; the smallest one has four bytes.
    this.#server.maxHeadersCount = Math.ceil(limits.head / 4) + 1
    this.#endings = [this.#tls.keepCurrent(this.#server), () => this.#repeats.close()]
    this.#server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket))
    this.#server.on('tlsClientError', (error) => log.debug('a TLS handshake failed', { cause: error.message }))
  }

  /**
   * Begins to accept connections.
   *
   * @returns the port, which differs from the one asked for when that was 0
   * @throws when the address or port cannot be had, with the system's `code`
   */
  listen(port: number, address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, address, () => {
        this.#server.off('error', reject)
        this.#server.on('error', (error) => log.error('the listener failed', { cause: error.message }))
        resolve((this.#server.address() as { port: number }).port)
      })
    })
  }

  /** As `listen`, for one more place, or for one that is left before the server closes. @param way the host's */
  async listenAlso(port: number, address: string, way: ListenAlso): Promise<Listening> {
    const place = await way(this.#server, port, address)
    this.#places.add(place)
    const close = async () => {
      await place.close()
      this.#places.delete(place)
    }
    return { port: place.port, close }
  }

  /** Ends connections, each after the answer under way. @param isMeant gets where a client connected to */
  endConnections(isMeant: (local: Local) => boolean): void {
    this.#connections.end(isMeant)
  }

  /** Answers for so many milliseconds, or until it is woken, each time as the last on its connection. */
  drain(time: number, wake?: Listeners<void>): Promise<void> {
    this.#closing = true
    this.#repeats.forget()
    return sleep(time, wake)
  }

  /**
   * Stops accepting, ends streams, waits for what is in flight, at most so many milliseconds, and closes what is left.
   */
  close(grace: number): Promise<void> {
    this.#closing = true
    for (const end of this.#endings) end()
    for (const sink of this.#streams) sink.end(goingAway)
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        // Node.js no longer counts a WebSocket among its connections.
        for (const sink of this.#streams) sink.cut()
        this.#server.closeAllConnections()
      }, grace)
      const left = [...this.#places].map((place) => place.close())
      this.#server.close(async () => {
        await Promise.all(left)
        clearTimeout(late)
        resolve()
      })
      this.#server.closeIdleConnections()
    })
  }

  /** @param waits whether the client sent `Expect: 100-continue` (RFC 9110 10.1.1) */
  #serve(request: Incoming, response: Outgoing, waits: boolean): void {
    const connection = this.#connections.of(request.socket)
    connection.busy = true
    const exchange = new Exchange(connection, request, response, waits)
    const head = readHead(request, this.#headLimit)
    if (typeof head === 'number') {
      this.#send(exchange, this.#handling.malformed(head), true)
      return
    }
    const given = this.#tls.withCertificate(head, request.socket as Secured)
    const begun = this.#handling.begin(given, exchange, request.socket)
    if (begun instanceof Promise) {
      void begun.then((settled) => this.#proceed(exchange, head, settled))
      return
    }
    if (!('finish' in begun)) this.#repeats.allow(response, begun, exchange.caller, head.headers)
    this.#proceed(exchange, head, begun)
  }

  #proceed(exchange: Exchange, head: Head, begun: Begun): void {
    if ('finish' in begun) this.#reception.receive(exchange, head, begun, (answer) => this.#send(exchange, answer))
    else this.#send(exchange, begun)
  }

  /**
   * Reads and drops the rest of an unwanted body, within the time of a request, so that the answer reaches
   * the client. A client that waits to send its body learns from the end of the connection not to.
   */
  #send(exchange: Exchange, { status, headers, body, stream }: Answer, last = false): void {
    const { connection, response, waits } = exchange
    const close = last || waits || connection.ends || this.#closing
    if (status === 401) connection.authenticated = false
    this.#connections.answered(connection)
    response.writeHead(status, close ? [...headers, 'Connection', 'close'] : (headers as string[]))
    if (stream === undefined) {
      if (body === undefined || response.takesBytes) response.end(body)
      else response.end(textOf(body), 'latin1')
      this.#unread.add(response)
    } else this.#stream(exchange, stream)
  }

  #stream(exchange: Exchange, stream: Stream): void {
    const sink = sinkTo(exchange.response)
    const gone = stream(sink)
    this.#streams.add(sink)
    exchange.onOver(() => {
      this.#streams.delete(sink)
      gone()
    })
    if (this.#closing) sink.end()
  }

  /**
   * A connection that its client wants to use for another protocol. For all but WebSockets that is an offer that
   * nothing takes (RFC 9110 7.8): Node.js reads the request again, without it.
   */
  #upgrade(request: Incoming, socket: Upgraded, rest: Uint8Array): void {
    const head = readHead(request, this.#headLimit)
    if (typeof head === 'number') answerLast(socket, this.#handling.malformed(head))
    else if (!asksForWebSocket(head) || rest.length > 0) withoutUpgrade(this.#server, request, socket, rest)
    else {
      const connection = this.#connections.of(socket)
      connection.busy = true
      const exchange = { identified: (who: Caller) => connection.identified(who), since: connection.since }
      const given = this.#tls.withCertificate(head, socket)
      void Promise.resolve(this.#handling.begin(given, exchange, socket)).then((begun) =>
        this.#agree(socket, begun as Answer)
      )
    }
  }

  /** A refusal is the last answer of its connection. */
  #agree(socket: Upgraded, answer: Answer): void {
    if (answer.exchange === undefined) {
      answerLast(socket, answer)
      return
    }
    switchProtocols(socket, answer.headers)
    const peer = webSocket(socket, answer.exchange, this.#keepAlive)
    this.#streams.add(peer)
    const connection = this.#connections.of(socket)
    this.#connections.answered(connection)
    connection.onClosed(() => this.#streams.delete(peer))
    if (this.#closing) peer.end(goingAway)
  }

  /** Answers a malformed request by its fault. A connection that does not speak TLS is closed. */
  #refuse(error: Refused, socket: Socket): void {
    const status = error.code === undefined ? undefined : refusals[error.code]
    const parsing = error.code?.startsWith('HPE_') ?? false
    const connection = this.#connections.of(socket)
    // An answer out of turn would be taken for that of the request before it.
    if (!socket.writable || connection.busy || (status === undefined && !parsing)) {
      socket.destroy()
      return
    }
    if (status !== 501) {
      answerLast(socket, this.#handling.malformed(status ?? 400))
      return
    }
    connection.busy = true
    const head = readRefused(error.rawPacket ?? new Uint8Array(), socket, this.#headLimit)
    void this.#handling.methodUnknown(head, socket).then((answer) => answerLast(socket, answer))
  }
}

/** A character for each byte. Node.js sends that in one piece with the head: two pieces take half as long again. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}
