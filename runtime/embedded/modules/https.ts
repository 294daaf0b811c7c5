/**
 * Node's https.createServer, as far as the service uses it, over the server in C (`runtime/embedded/https`).
 *
 * A request without a body costs one call from C and one into it: the objects of a request hold little, and the parts
 * that are rarely wanted (headers, listeners, the peer's address) are made when they are asked for.
 */

import binding, { type Handle, type Id, type Options } from 'minnow:https'
import { EventEmitter } from 'node:events'
import { readPem } from '#runtime/base/pem.ts'
import {
  expectsContinue,
  expectsOther,
  hasBody,
  hasHost,
  IncomingMessage,
  isHttp11,
  upgrades
} from '../https/incoming.ts'
import { ServerResponse } from '../https/outgoing.ts'
import { type Credentials, type ProtocolOptions, protocolOf, type SecureContext } from '../https/secure-context.ts'
import { type Address, Socket } from '../https/socket.ts'

export { IncomingMessage, ServerResponse }

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Node's options, with Node's defaults. Clients may be asked for certificates (`requestCert`), which are then the
 * service's to judge: `rejectUnauthorized` has to be false. Beyond Node: `writeTimeout`, `lingerTimeout` (ms),
 * `ticketLifetime` (s), `maxRepeats` (bytes of answers that are given again without asking).
 */
export interface ServerOptions extends Credentials, ProtocolOptions {
  maxHeaderSize?: number
  headersTimeout?: number
  requestTimeout?: number
  keepAliveTimeout?: number
  handshakeTimeout?: number
  writeTimeout?: number
  lingerTimeout?: number
  maxRepeats?: number
  /** Has a client whose handshake asks for a name served with this, or with what all are served with. */
  SNICallback?: (name: string, done: (error: Error | null, context?: SecureContext) => void) => void
  requireHostHeader?: boolean
  requestCert?: boolean
  rejectUnauthorized?: boolean
  connectionsCheckingInterval?: number
  noDelay?: boolean
}

const slotOf = (id: Id): number => id % 65536
const unlimited = 65535

const systemError = (error: number, syscall: string, address: string, port: number) => {
  const { code, text } = binding.describeError(error)
  const message = `${syscall} ${code}: ${text} ${address}:${port}`
  return Object.assign(new Error(message), { errno: error, code, syscall, address, port })
}

const refusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout'
}

/** Node's https.Server. */
export class Server extends EventEmitter {
  readonly #options: Options
  readonly #requireHost: boolean
  readonly #rejects: boolean
  readonly #sockets: (Socket | undefined)[] = []
  #handle: Handle | undefined
  #listening = false

  constructor(options: ServerOptions, listener?: RequestListener) {
    super()
    this.#requireHost = options.requireHostHeader ?? true
    this.#rejects = options.rejectUnauthorized ?? true
    this.#options = {
      maxHead: options.maxHeaderSize ?? 16384,
      maxConnections: unlimited,
      handshakeTimeout: options.handshakeTimeout ?? 120000,
      headersTimeout: options.headersTimeout ?? 60000,
      requestTimeout: options.requestTimeout ?? 300000,
      keepAliveTimeout: options.keepAliveTimeout ?? 5000,
      writeTimeout: options.writeTimeout ?? 30000,
      lingerTimeout: options.lingerTimeout ?? 2000,
      maxRepeats: options.maxRepeats ?? 0,
      requestCertificate: this.#asks(options.requestCert ?? false),
      names: Number(options.SNICallback !== undefined),
      ...protocolOf(options)
    }
    this.#handle = binding.create(this.#options, options.key, options.cert, {
      request: (id, method, url, rawHeaders, bits) => this.#request(id, method, url, rawHeaders, bits),
      body: (id, chunk) => this.#sockets[slotOf(id)]?.request?.emit('data', chunk),
      end: (id) => this.#sockets[slotOf(id)]?.request?.ended(),
      drain: (id) => this.#sockets[slotOf(id)]?.response?.drained(),
      clientError: (id, code, reason, packet) => this.#refuse(id, code, reason, packet),
      connection: (id) => this.listenerCount('connection') && this.emit('connection', this.#socket(id)),
      name: (id, name) => this.#identify(id, name, options.SNICallback!),
      secure: (id) => this.listenerCount('secureConnection') && this.emit('secureConnection', this.#socket(id)),
      recognized: (id) => this.emit('recognized', this.#socket(id)),
      repeated: (id) => this.emit('repeated', this.#socket(id)),
      tlsError: (id, error) => this.#tlsFailed(id, error),
      close: (id) => this.#gone(id),
      closed: () => this.#closed()
    })
    if (listener) this.on('request', listener as (...values: unknown[]) => void)
  }

  get listening(): boolean {
    return this.#listening
  }

  get maxConnections(): number {
    return this.#options.maxConnections
  }

  set maxConnections(value: number) {
    this.#configure({ maxConnections: Math.min(value, unlimited) })
  }

  get headersTimeout(): number {
    return this.#options.headersTimeout
  }

  set headersTimeout(value: number) {
    this.#configure({ headersTimeout: value })
  }

  get requestTimeout(): number {
    return this.#options.requestTimeout
  }

  set requestTimeout(value: number) {
    this.#configure({ requestTimeout: value })
  }

  get keepAliveTimeout(): number {
    return this.#options.keepAliveTimeout
  }

  set keepAliveTimeout(value: number) {
    this.#configure({ keepAliveTimeout: value })
  }

  /** Whether clients are asked for a certificate; for new connections. */
  get requestCert(): boolean {
    return this.#options.requestCertificate === 1
  }

  set requestCert(value: boolean) {
    this.#configure({ requestCertificate: this.#asks(value) })
  }

  /**
   * A numeric address, or "localhost"; without one all of them. Failures come as `error`. Other than Node's, it may be
   * called again, and listens there as well; `address` is then that of the last one.
   */
  listen(where: number | { port?: number; host?: string }, host?: string | (() => void), callback?: () => void): this {
    if (typeof where === 'object') return this.listen(where.port ?? 0, where.host, (host ?? callback) as () => void)
    const onListening = typeof host === 'function' ? host : callback
    const wanted = typeof host === 'string' ? host : undefined
    const address = wanted === 'localhost' ? '127.0.0.1' : (wanted ?? '::')
    if (!this.#handle) throw Object.assign(new Error('The server was closed'), { code: 'ERR_SERVER_NOT_RUNNING' })
    let error = binding.listen(this.#handle, address, where)
    if (error && wanted === undefined && binding.describeError(error).code === 'EAFNOSUPPORT')
      error = binding.listen(this.#handle, '0.0.0.0', where)
    if (onListening && !error) this.once('listening', onListening)
    this.#listening ||= error === 0
    queueMicrotask(() => {
      if (error) this.emit('error', systemError(error, 'listen', address, where))
      else this.emit('listening')
    })
    return this
  }

  /** Beyond Node's: stops listening at one place, a numeric address. Its connections stay. */
  unlisten(port: number, address: string): void {
    if (this.#handle) binding.unlisten(this.#handle, address, port)
  }

  address(): Address | null {
    return this.#handle ? binding.address(this.#handle) : null
  }

  /** Serves new connections with this key and certificate. Throws, and keeps the old ones, when they do not fit. */
  setSecureContext({ key, cert }: Credentials): void {
    if (this.#handle) binding.setCredentials(this.#handle, key, cert)
  }

  /** Has clients that ask for the certificate of a challenge of ACME (RFC 8737) get this one; undefined: none is there. */
  challenge(pair: { readonly key: string; readonly cert: string } | undefined): void {
    const [certificate] = readPem(pair?.cert ?? '')
    if (this.#handle) binding.setChallenge(this.#handle, pair?.key ?? '', certificate?.bytes ?? new Uint8Array())
  }

  /** Stops listening; idle connections are closed, the others when their request is answered. */
  close(callback?: (error?: Error) => void): this {
    if (callback && this.#listening) this.once('close', callback)
    else if (callback) {
      const error = Object.assign(new Error('Server is not running.'), { code: 'ERR_SERVER_NOT_RUNNING' })
      queueMicrotask(() => callback(error))
    }
    this.#listening = false
    if (this.#handle) binding.close(this.#handle)
    return this
  }

  /** Forgets all answers that were `repeatable`. */
  forget(): void {
    if (this.#handle) binding.forget(this.#handle)
  }

  /** Forgets all credentials until they arrive with a `repeatable` answer. */
  forgetCallers(): void {
    if (this.#handle) binding.forgetCallers(this.#handle)
  }

  /** Forgets answers that were `repeatable`, by their subject. */
  drop(subject: string): void {
    if (this.#handle) binding.drop(this.#handle, subject)
  }

  closeIdleConnections(): void {
    if (this.#handle) binding.closeIdle(this.#handle)
  }

  closeAllConnections(): void {
    if (this.#handle) binding.closeAll(this.#handle)
  }

  #identify(id: Id, name: string, callback: NonNullable<ServerOptions['SNICallback']>): void {
    callback(name, (error, context) => {
      if (this.#handle === undefined) return
      if (error === null) binding.identify(this.#handle, id, context?.context)
      else if (binding.destroy(this.#handle, id) === 0) this.emit('tlsClientError', error, this.#socket(id))
    })
  }

  #asks(whether: boolean): number {
    if (!whether || !this.#rejects) return Number(whether)
    const error = new TypeError('Certificates of clients are asked for with rejectUnauthorized: false only')
    throw Object.assign(error, { code: 'ERR_INVALID_ARG_VALUE' })
  }

  #configure(change: Partial<Options>): void {
    Object.assign(this.#options, change)
    if (this.#handle) binding.configure(this.#handle, change)
  }

  #socket(id: Id): Socket {
    const slot = slotOf(id)
    this.#sockets[slot] ??= new Socket(this.#handle!, id)
    return this.#sockets[slot]
  }

  #request(id: Id, method: string, url: string, rawHeaders: string[], bits: number): void {
    const socket = this.#socket(id)
    const request = new IncomingMessage(socket, method, url, rawHeaders, bits)
    if ((bits & (upgrades | hasBody)) === upgrades && this.#upgrade(request)) return
    const response = new ServerResponse(request)
    socket.request = request
    socket.response = response
    if ((bits & (isHttp11 | hasHost)) === isHttp11 && this.#requireHost) {
      response.writeHead(400, ['Connection', 'close']).end()
    } else if ((bits & (expectsContinue | expectsOther)) === 0) {
      this.emit('request', request, response)
    } else if (bits & expectsOther) {
      if (!this.emit('checkExpectation', request, response)) response.writeHead(417).end()
    } else if (!this.emit('checkContinue', request, response)) {
      response.writeContinue()
      this.emit('request', request, response)
    }
  }

  /** Node hands all offers over, and takes no other answer to them; here only those of WebSockets are. */
  #upgrade(request: IncomingMessage): boolean {
    const { socket, headers } = request
    if (this.listenerCount('upgrade') === 0 || !/^websocket$/i.test(String(headers.upgrade))) return false
    socket.tunnel()
    return this.emit('upgrade', request, socket, new Uint8Array())
  }

  #refuse(id: Id, code: string, reason: string, rawPacket: Uint8Array): void {
    const socket = this.#socket(id)
    const message = code.startsWith('HPE_') ? `Parse Error: ${reason}` : reason
    const error = Object.assign(new Error(message), { code, reason, rawPacket })
    if (this.emit('clientError', error, socket)) return
    socket.end(`HTTP/1.1 ${refusals[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
  }

  /** As in Node, a handshake that is not TLS is a `clientError` as well; its client cannot be answered. */
  #tlsFailed(id: Id, number: number): void {
    if (!this.listenerCount('tlsClientError') && !this.listenerCount('clientError')) return
    const { code, text } =
      number < -4096
        ? { code: 'ERR_SSL_HANDSHAKE_FAILURE', text: `TLS handshake failed (-0x${(-number).toString(16)})` }
        : binding.describeError(number)
    const error = Object.assign(new Error(text), { code })
    const socket = this.#socket(id)
    this.emit('tlsClientError', error, socket)
    this.emit('clientError', error, socket)
  }

  #gone(id: Id): void {
    const slot = slotOf(id)
    const socket = this.#sockets[slot]
    this.#sockets[slot] = undefined
    socket?.closed()
  }

  #closed(): void {
    this.#handle = undefined
    this.emit('close')
  }
}

/** Node's https.createServer. */
export function createServer(options: ServerOptions, listener?: RequestListener): Server {
  return new Server(options, listener)
}
