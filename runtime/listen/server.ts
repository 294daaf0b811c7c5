import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Configuration } from '#data/configuration'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import type { Listeners } from '#runtime/base/listeners.ts'
import { log } from '#runtime/base/log.ts'
import { sleep } from '#runtime/base/sleep.ts'
import type { Caller, Stream } from '#runtime/contract'
import type { Service } from '#runtime/open/service.ts'
import type { Answer } from '#runtime/request/answer.ts'
import type { Arrival, Begun, Pending } from '#runtime/request/handle.ts'
import { type Head, type Local, type Parsed, readHead, readRefused } from '#runtime/request/head.ts'
import type { Refusals } from '#runtime/request/refusals.ts'
import { asksForWebSocket } from '#runtime/request/web-socket.ts'
import { Body, BodyBudget } from './bodies.ts'
import { challenges } from './challenges.ts'
import { type Accepted, type Connection, Connections } from './connections.ts'
import { contextByName, contexts, type Named } from './named.ts'
import { type Lasting, type Repeatable, type Repeating, Repeats } from './repeats.ts'
import { type Streamed, sinkTo } from './sink.ts'
import { UnreadAnswers } from './unread.ts'
import { type Tunnel, webSocket } from './web-socket.ts'

export type { Local }

/** Those with authenticated encryption: the same on both hosts, which OpenSSL and Mbed TLS name each in their way. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES256-GCM-SHA384'
].join(':')

/**
 * SSL_OP_NO_TICKET of OpenSSL. It takes up a session before it asks which name the client wants, with the certificate
 * of the name before. The binary has tickets for each name.
 */
const noTickets = 0x4000

/** The part of a socket that the server uses. */
interface Secured {
  getPeerX509Certificate?(): { readonly raw: Uint8Array } | undefined
}

/** The connection of a request that offers another protocol. */
type Upgraded = Tunnel & Secured & Socket

/**
 * The part of a request and its answer that the server uses: Node.js's own classes on one host, drop-ins on the other.
 */
interface Incoming extends Parsed {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  /** Gives this request so many milliseconds from now on; Node.js gives all requests of a server the same time. */
  allow?(time: number): void
}

interface Outgoing extends Streamed, Repeatable {
  readonly writableFinished: boolean
  /** That bytes cost no more than a text: not on Node.js. */
  readonly takesBytes?: true
  writeContinue(): unknown
  writeHead(status: number, headers: string[]): unknown
  end(body?: Uint8Array): unknown
  end(body: string, encoding: 'latin1'): unknown
  on(event: 'close', listener: () => void): unknown
}

/** A request, and whoever sends it as soon as that is known. */
class Exchange implements Arrival {
  readonly connection: Connection
  readonly request: Incoming
  readonly response: Outgoing
  waits: boolean
  caller: Caller | undefined

  constructor(connection: Connection, request: Incoming, response: Outgoing, waits: boolean) {
    this.connection = connection
    this.request = request
    this.response = response
    this.waits = waits
  }

  get since(): number {
    return this.connection.since
  }

  identified(caller: Caller): void {
    this.caller = caller
    this.connection.identified(caller)
  }
}

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
export interface Served extends Pick<Service, 'identity'>, Lasting {
  readonly handling: Answering
  readonly clientCertificates: Pick<Service['clientCertificates'], 'enabled' | 'onSwitched'>
  readonly named?: Named | undefined
}

/** The HTTPS listener. It reads heads and bodies within their limits and sends each answer in one write. */
export class HttpsServer {
  readonly #server: Server
  readonly #handling: Answering
  readonly #headLimit: number
  /** Of a request, in milliseconds. */
  readonly #time: number
  #uploads = 0
  readonly #connections: Connections
  readonly #budget: BodyBudget
  readonly #unread: UnreadAnswers
  readonly #repeats: Repeats
  /** Streams and WebSockets. */
  readonly #streams = new Set<{ end(reason: number): void; cut(): void }>()
  readonly #keepAlive: number
  /** The certificates that clients presented, by connection; empty if one presented none. */
  readonly #certificates = new WeakMap<object, Uint8Array>()
  #asksForCertificates = false
  readonly #endings: readonly (() => void)[]
  /** Beside the first one. */
  readonly #places = new Set<Listening>()
  #closing = false

  constructor(served: Served, { limits, console }: Configuration) {
    const { handling, identity, clientCertificates, named } = served
    this.#handling = handling
    this.#headLimit = limits.head
    this.#connections = new Connections(limits)
    this.#budget = new BodyBudget(limits)
    this.#unread = new UnreadAnswers(limits.unreadAnswers)
    this.#asksForCertificates = clientCertificates.enabled
    const time = limits.requestTime * 1000
    this.#time = time
    this.#keepAlive = console.keepAlive * 1000
    const protocol = { minVersion: 'TLSv1.2' as const, ciphers }
    const contextOf = contexts(protocol)
    const challenge = challenges(contextOf)
    const options = {
      ...identity.pair,
      ...protocol,
      ...challenge.options,
      ...(named && { SNICallback: contextByName(named, contextOf), secureOptions: noTickets }),
      requestCert: this.#asksForCertificates,
      // TLS makes the client prove that it has the key; `ClientCertificates` decides whom a certificate stands for.
      rejectUnauthorized: false,
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
    this.#server.on('checkContinue', (request, response) => this.#serve(request, response, true))
    this.#server.on('upgrade', (request, socket, rest) => this.#upgrade(request, socket as Upgraded, rest))
    this.#server.on('connection', (socket) => this.#connections.accept(socket as Accepted))
    this.#server.on('recognized', (socket: object) => {
      this.#connections.of(socket).authenticated = true
    })
    this.#server.on('repeated', (socket: object) => this.#connections.answered(this.#connections.of(socket)))
    // Node.js silently forgets fields beyond this many; the smallest one has four bytes.
    this.#server.maxHeadersCount = Math.ceil(limits.head / 4) + 1
    const renew = (pair = identity.pair) => this.#server.setSecureContext({ ...options, ...pair })
    const switched = () => {
      if (clientCertificates.enabled === this.#asksForCertificates) return
      this.#asksForCertificates = clientCertificates.enabled
      Object.assign(this.#server, { requestCert: this.#asksForCertificates })
      // A session from before, in which no certificate was asked for, is not to be resumed: its tickets lose their key.
      renew()
    }
    const replaced = named?.onReplaced(contextOf)
    this.#endings = [
      identity.on(renew),
      identity.onChallenge((pair) => challenge.set(this.#server, pair)),
      clientCertificates.onSwitched(switched),
      () => this.#repeats.close(),
      () => replaced?.()
    ]
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
    const begun = this.#handling.begin(
      this.#asksForCertificates ? this.#withCertificate(head, request.socket as Secured) : head,
      exchange,
      request.socket
    )
    if (begun instanceof Promise) {
      void begun.then((settled) => this.#proceed(exchange, head, settled))
      return
    }
    if (!('finish' in begun)) this.#repeats.allow(response, begun, exchange.caller, head.headers)
    this.#proceed(exchange, head, begun)
  }

  #withCertificate(head: Head, socket: Secured): Head {
    const certificate = () => {
      let presented = this.#certificates.get(socket)
      if (presented === undefined) {
        presented = socket.getPeerX509Certificate?.()?.raw ?? new Uint8Array()
        this.#certificates.set(socket, presented)
      }
      return presented.length === 0 ? undefined : presented
    }
    return { ...head, certificate }
  }

  #proceed(exchange: Exchange, head: Head, begun: Begun): void {
    if ('finish' in begun) this.#receive(exchange, head, begun)
    else this.#send(exchange, begun)
  }

  #receive(exchange: Exchange, head: Head, pending: Pending): void {
    const { upload } = pending
    if (Number(head.headers['content-length'] ?? 0) > pending.limit) {
      upload?.release()
      this.#send(exchange, this.#handling.tooLarge())
      return
    }
    const { connection, request, response } = exchange
    if (exchange.waits) {
      exchange.waits = false
      response.writeContinue()
    }
    const length = Number(head.headers['content-length'] ?? pending.limit)
    const body = upload ?? new Body(this.#budget, pending.user, length)
    if (upload !== undefined) this.#allow(exchange, upload.time)
    let left = upload === undefined ? Number.POSITIVE_INFINITY : pending.limit
    let over = false
    const refuse = (answer: Answer) => {
      if (over) return
      over = true
      body.release()
      if (upload !== undefined) request.allow?.(this.#time)
      this.#send(exchange, answer)
    }
    connection.busy = false
    upload?.onRefused(refuse)
    request.on('data', (chunk) => {
      if (over) return
      left -= chunk.length
      const fault = left < 0 ? 'large' : body.add(chunk)
      if (fault === undefined) return
      const answers = { large: () => this.#handling.tooLarge(), 'no room': () => this.#handling.noRoom() }
      refuse(typeof fault === 'string' ? answers[fault]() : fault)
    })
    request.on('end', () => {
      if (over) return
      over = true
      connection.busy = true
      void pending.finish(body.bytes).then((answer) => {
        body.release()
        this.#send(exchange, answer)
      })
    })
    // Requests that the service already processes stay as long as they take.
    onOver(exchange, () => {
      if (over) return
      over = true
      body.release()
    })
  }

  /** An upload may take longer than other requests. On Node.js all of them may, for as long as there is one. */
  #allow(exchange: Exchange, time: number): void {
    const { request } = exchange
    if (request.allow !== undefined) {
      request.allow(time)
      return
    }
    this.#uploads += 1
    this.#server.requestTimeout = Math.max(time, this.#time)
    onOver(exchange, () => {
      this.#uploads -= 1
      if (this.#uploads === 0) this.#server.requestTimeout = this.#time
    })
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
    onOver(exchange, () => {
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
    if (typeof head === 'number') sayLast(socket, this.#handling.malformed(head))
    else if (!asksForWebSocket(head) || rest.length > 0) putBack(this.#server, request, socket, rest)
    else {
      const connection = this.#connections.of(socket)
      connection.busy = true
      const exchange = { identified: (who: Caller) => connection.identified(who), since: connection.since }
      const given = this.#asksForCertificates ? this.#withCertificate(head, socket) : head
      void Promise.resolve(this.#handling.begin(given, exchange, socket)).then((begun) =>
        this.#agree(socket, begun as Answer)
      )
    }
  }

  /** A refusal is the last answer of its connection. */
  #agree(socket: Upgraded, answer: Answer): void {
    if (answer.exchange === undefined) {
      sayLast(socket, answer)
      return
    }
    socket.write(utf8(`${headText(101, answer.headers)}\r\n`))
    const peer = webSocket(socket, answer.exchange, this.#keepAlive)
    this.#streams.add(peer)
    this.#connections.of(socket).onClosed(() => this.#streams.delete(peer))
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
      sayLast(socket, this.#handling.malformed(status ?? 400))
      return
    }
    connection.busy = true
    const head = readRefused(error.rawPacket ?? new Uint8Array(), socket, this.#headLimit)
    void this.#handling.methodUnknown(head, socket).then((answer) => sayLast(socket, answer))
  }
}

/**
 * Calls back once, when an answer has left or its client has gone. Of the end of a connection Node.js tells nothing to
 * the answers to requests that were sent ahead of their turn.
 */
function onOver({ connection, response }: Exchange, listener: () => void): void {
  let over = false
  const end = () => {
    if (over) return
    over = true
    listener()
  }
  const forget = connection.onClosed(end)
  response.on('close', () => {
    forget()
    end()
  })
}

/** Bytes that a host's parser does not take. */
interface Refused extends Error {
  readonly code?: string
  /** The bytes in which it stands. */
  readonly rawPacket?: Uint8Array
}

/** A character for each byte. Node.js sends that in one piece with the head: two pieces take half as long again. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

/** Writes an answer without the host's help, after which the connection ends. */
function sayLast(socket: Pick<Socket, 'end'>, { headers, body, status }: Answer): void {
  const text = body === undefined ? '' : utf8Text(body)
  socket.end(`${headText(status, headers)}Connection: close\r\n\r\n${text}`)
}

function headText(status: number, headers: readonly string[]): string {
  const lines = []
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}\r\n`)
  return `HTTP/1.1 ${status} ${reasons[status] ?? 'Refused'}\r\n${lines.join('')}`
}

/** Has Node.js read a request again, as one that wants no upgrade. */
function putBack(server: Server, { method, url, rawHeaders }: Incoming, socket: Socket, rest: Uint8Array): void {
  const kept = rawHeaders.filter((_, index) => rawHeaders[index & ~1]?.toLowerCase() !== 'upgrade')
  const lines = kept.flatMap((name, index) => (index % 2 === 0 ? `${name}: ${kept[index + 1]}\r\n` : []))
  const head = Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  socket.unshift(Buffer.concat([head, rest]))
  server.emit('secureConnection', socket)
}

/** A status of RFC 6455 7.4.1. */
const goingAway = 1001

const refusals: Readonly<Record<string, 400 | 408 | 431 | 501 | 505>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_INVALID_METHOD: 501,
  HPE_INVALID_VERSION: 505,
  ERR_HTTP_REQUEST_TIMEOUT: 408
}

const reasons: Readonly<Record<number, string>> = {
  101: 'Switching Protocols',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported'
}
