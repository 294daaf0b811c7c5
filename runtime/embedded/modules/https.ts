/**
 * Node's https.createServer, as far as the service uses it, over the server in C (`runtime/embedded/https`).
 *
 * A request without a body costs one call from C and one into it: the objects below hold little, and the parts that are
 * rarely wanted (headers, listeners, the peer's address) are made when they are asked for.
 */
import binding, { type Handle, type Id, type Options } from 'minnow:https'
import { EventEmitter } from 'node:events'

type Listener = (...values: never[]) => void
type AnyListener = (...values: unknown[]) => void
type Credentials = { key: string | Uint8Array; cert: string | Uint8Array }
type Version = 'TLSv1.2' | 'TLSv1.3'
type Address = { address: string; port: number; family: 'IPv4' | 'IPv6' }
type RequestListener = (request: IncomingMessage, response: ServerResponse) => void
/** A flat list of names and values, or an object; a list in the place of a value: the header several times. */
type HeaderValue = string | number | readonly string[]
type HeaderObject = Record<string, HeaderValue | undefined>
type OutgoingHeaders = readonly HeaderValue[] | HeaderObject

/** Node's options, with Node's defaults. Beyond Node: `writeTimeout`, `lingerTimeout` (ms), `ticketLifetime` (s). */
export interface ServerOptions extends Credentials {
  minVersion?: Version
  maxVersion?: Version
  maxHeaderSize?: number
  headersTimeout?: number
  requestTimeout?: number
  keepAliveTimeout?: number
  handshakeTimeout?: number
  writeTimeout?: number
  lingerTimeout?: number
  ticketLifetime?: number
  requireHostHeader?: boolean
  connectionsCheckingInterval?: number
  noDelay?: boolean
}

const hasBody = 1
const isHttp11 = 2
const hasHost = 8
const expectsContinue = 16
const expectsOther = 32

const more = 1
const chunked = 2
const headOnly = 4
const closes = 8

const slotOf = (id: Id): number => id % 65536
const unlimited = 65535

/** Listeners, for objects of which most never have any. */
class Emitter {
  /** @internal */
  declare emitter: EventEmitter | undefined

  on(name: string, listener: Listener): this {
    this.emitter ??= new EventEmitter()
    this.emitter.on(name, listener as AnyListener)
    return this
  }

  once(name: string, listener: Listener): this {
    this.emitter ??= new EventEmitter()
    this.emitter.once(name, listener as AnyListener)
    return this
  }

  off(name: string, listener: Listener): this {
    this.emitter?.off(name, listener as AnyListener)
    return this
  }

  emit(name: string, ...values: unknown[]): boolean {
    return this.emitter?.emit(name, ...values) ?? false
  }

  listenerCount(name: string): number {
    return this.emitter?.listenerCount(name) ?? 0
  }

  addListener(name: string, listener: Listener): this {
    return this.on(name, listener)
  }

  removeListener(name: string, listener: Listener): this {
    return this.off(name, listener)
  }
}

/** The connection, as requests and `clientError` show it. */
export class Socket extends Emitter {
  readonly encrypted = true
  /** @internal */
  readonly handle: Handle
  /** @internal */
  readonly id: Id
  /** @internal The request that waits for its answer, or for more of its body. */
  request: IncomingMessage | undefined
  /** @internal */
  response: ServerResponse | undefined
  #peer: Address | null | undefined
  #writable = true

  constructor(handle: Handle, id: Id) {
    super()
    this.handle = handle
    this.id = id
  }

  /** Whether the last word can still be said. */
  get writable(): boolean {
    return this.#writable
  }

  get destroyed(): boolean {
    return !this.#writable
  }

  get remoteAddress(): string | undefined {
    return this.#remote()?.address
  }

  get remotePort(): number | undefined {
    return this.#remote()?.port
  }

  get remoteFamily(): string | undefined {
    return this.#remote()?.family
  }

  /** "TLSv1.3" and the like; null when the connection is gone. */
  getProtocol(): string | null {
    return binding.protocol(this.handle, this.id)
  }

  getCipher(): { name: string } | undefined {
    const name = binding.cipher(this.handle, this.id)
    return name === null ? undefined : { name }
  }

  /** Writes what is given, as it is, and closes. */
  end(data: string | Uint8Array = ''): this {
    if (this.#writable) binding.end(this.handle, this.id, data)
    this.#writable = false
    return this
  }

  destroy(): this {
    if (this.#writable) binding.destroy(this.handle, this.id)
    this.#writable = false
    return this
  }

  /** @internal The connection is gone. */
  closed(): void {
    this.#writable = false
    this.request?.aborted()
    this.response?.closed()
    this.emit('close')
  }

  #remote(): Address | null {
    this.#peer ??= binding.peer(this.handle, this.id)
    return this.#peer
  }
}

/** A request; its body comes with `data` and `end` as soon as somebody listens to `data`, or after `resume`. */
export class IncomingMessage extends Emitter {
  readonly socket: Socket
  readonly method: string
  readonly url: string
  readonly rawHeaders: string[]
  /** @internal What C said of the request. */
  bits: number
  declare destroyed: boolean
  /** @internal */
  declare flowing: boolean
  /** @internal */
  declare over: boolean
  /** @internal */
  declare joined: Record<string, string | string[]> | undefined

  constructor(socket: Socket, method: string, url: string, rawHeaders: string[], bits: number) {
    super()
    this.socket = socket
    this.method = method
    this.url = url
    this.rawHeaders = rawHeaders
    this.bits = bits
  }

  /** Whether the whole body has arrived. */
  get complete(): boolean {
    return (this.bits & hasBody) === 0
  }

  get httpVersion(): string {
    return this.bits & isHttp11 ? '1.1' : '1.0'
  }

  get httpVersionMajor(): number {
    return 1
  }

  get httpVersionMinor(): number {
    return this.bits & isHttp11 ? 1 : 0
  }

  get connection(): Socket {
    return this.socket
  }

  /** Names in lower case. Repeated ones joined as Node does: by comma, or the first alone, or a list for Set-Cookie. */
  get headers(): Record<string, string | string[]> {
    this.joined ??= join(this.rawHeaders)
    return this.joined
  }

  override on(name: string, listener: Listener): this {
    super.on(name, listener)
    if (name === 'data') this.resume()
    return this
  }

  pause(): this {
    this.flowing = false
    if (!this.complete) binding.pause(this.socket.handle, this.socket.id)
    return this
  }

  resume(): this {
    if (this.flowing) return this
    this.flowing = true
    if (this.complete) queueMicrotask(() => this.ended())
    else binding.resume(this.socket.handle, this.socket.id)
    return this
  }

  destroy(): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.socket.destroy()
    return this
  }

  /** @internal */
  ended(): void {
    this.bits &= ~hasBody
    if (this.over || this.destroyed) return
    this.over = true
    this.emit('end')
  }

  /** @internal The answer is on its way, or the connection is gone. */
  closed(): void {
    this.destroyed = true
    this.emit('close')
  }

  /** @internal */
  aborted(): void {
    this.emit('aborted')
    if (!this.complete && this.listenerCount('error')) {
      this.emit('error', Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    }
    this.closed()
  }
}

// What is the same for nearly all requests is on the prototype: an object with few properties is made faster.
Object.assign(IncomingMessage.prototype, { destroyed: false, flowing: false, over: false })

const alone = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent'
])

function join(raw: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase()
    const value = raw[index + 1]!
    const known = headers[name]
    if (name === 'set-cookie') headers[name] = [...((known as string[]) ?? []), value]
    else if (known === undefined) headers[name] = value
    else if (!alone.has(name)) headers[name] = `${known}${name === 'cookie' ? ';' : ','} ${value}`
  }
  return headers
}

/** An answer. With `writeHead` and `end` it leaves in one piece; `write` sends what there is, in the chunked coding. */
export class ServerResponse extends Emitter {
  readonly req: IncomingMessage
  declare statusCode: number
  declare headersSent: boolean
  declare writableEnded: boolean
  declare writableFinished: boolean
  declare destroyed: boolean
  declare shouldKeepAlive: boolean
  /** @internal The headers of writeHead. */
  declare list: readonly (string | number)[] | undefined
  /** @internal Those of setHeader, by their name in lower case. */
  declare fields: Map<string, [string, HeaderValue]> | undefined
  /** @internal How a body that is written in parts is framed. */
  declare framing: number

  constructor(request: IncomingMessage) {
    super()
    this.req = request
  }

  get socket(): Socket {
    return this.req.socket
  }

  setHeader(name: string, value: HeaderValue): this {
    this.fields ??= new Map()
    this.fields.set(name.toLowerCase(), [name, value])
    return this
  }

  getHeader(name: string): HeaderValue | undefined {
    return this.fields?.get(name.toLowerCase())?.[1]
  }

  removeHeader(name: string): void {
    this.fields?.delete(name.toLowerCase())
  }

  /** Tells a client that expects it to send its body. */
  writeContinue(): void {
    binding.proceed(this.req.socket.handle, this.req.socket.id)
  }

  /** Settles status and headers; they leave with the first byte of the body. */
  writeHead(status: number, reason?: string | OutgoingHeaders, headers?: OutgoingHeaders): this {
    if (this.list) {
      throw Object.assign(new Error('Cannot write headers after they are sent'), { code: 'ERR_HTTP_HEADERS_SENT' })
    }
    const given = typeof reason === 'object' ? reason : headers
    const list = Array.isArray(given) ? (given as (string | number)[]) : flat(given as HeaderObject | undefined)
    this.statusCode = status
    this.list = this.fields ? this.#withFields(list) : list
    return this
  }

  /** Sends a part of the body. False: wait for `drain` before the next. */
  write(chunk: string | Uint8Array): boolean {
    return !this.writableEnded && !this.destroyed && this.#send(chunk, more) === 0
  }

  /** Sends the head at once, before there is a body. */
  flushHeaders(): void {
    if (!this.headersSent && !this.destroyed) this.#send(undefined, more)
  }

  end(body?: string | Uint8Array | (() => void), callback?: () => void): this {
    if (typeof body === 'function') return this.end(undefined, body)
    if (callback) this.once('finish', callback)
    if (this.writableEnded || this.destroyed) return this
    const waiting = this.#send(body, 0)
    this.writableEnded = true
    if (waiting === 0) this.#finish()
    return this
  }

  destroy(): this {
    this.socket.destroy()
    return this
  }

  /** @internal What had to wait has left. */
  drained(): void {
    if (this.writableEnded) this.#finish()
    else this.emit('drain')
  }

  /** @internal */
  closed(): void {
    this.destroyed = true
    this.emit('close')
  }

  /** How many bytes wait, or a negative number when the connection is gone. */
  #send(body: string | Uint8Array | undefined, following: number): number {
    const { handle, id } = this.req.socket
    if (this.headersSent) return binding.more(handle, id, body, this.framing | following)
    const list = this.list ?? this.writeHead(this.statusCode).list!
    this.list = undefined // an answer that throws was not written, and may be given again
    let shape = following
    if (this.req.method === 'HEAD') shape |= headOnly
    if (!this.shouldKeepAlive) shape |= closes
    if (following && !hasLength(list)) shape |= this.req.bits & isHttp11 ? chunked : closes
    const waiting = binding.answer(handle, id, this.statusCode, list, body, shape)
    this.list = list
    this.headersSent = true
    if (following) this.framing = shape & ~more
    return waiting
  }

  #withFields(given: readonly (string | number)[]): (string | number)[] {
    const names = new Set(given.filter((_, index) => index % 2 === 0).map((name) => String(name).toLowerCase()))
    const kept = [...(this.fields ?? [])].filter(([name]) => !names.has(name)).map(([, pair]) => pair)
    return [...flat(Object.fromEntries(kept)), ...given]
  }

  #finish(): void {
    const { req } = this
    const { socket } = req
    if (socket.response === this) socket.request = socket.response = undefined
    this.writableFinished = true
    if (this.emitter || req.emitter) queueMicrotask(() => this.#tell())
  }

  #tell(): void {
    this.emit('finish')
    this.closed()
    this.req.closed()
  }
}

Object.assign(ServerResponse.prototype, {
  statusCode: 200,
  headersSent: false,
  writableEnded: false,
  writableFinished: false,
  destroyed: false,
  shouldKeepAlive: true
})

const hasLength = (list: readonly (string | number)[]) =>
  list.some((name, index) => index % 2 === 0 && /^content-length$/i.test(String(name)))

function flat(headers: HeaderObject | undefined): (string | number)[] {
  const list: (string | number)[] = []
  for (const [name, value] of Object.entries(headers ?? {})) {
    for (const each of Array.isArray(value) ? value : [value as string | number]) list.push(name, each)
  }
  return list
}

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
  readonly #sockets: (Socket | undefined)[] = []
  #handle: Handle | undefined
  #listening = false

  constructor(options: ServerOptions, listener?: RequestListener) {
    super()
    this.#requireHost = options.requireHostHeader ?? true
    this.#options = {
      maxHead: options.maxHeaderSize ?? 16384,
      maxConnections: unlimited,
      handshakeTimeout: options.handshakeTimeout ?? 120000,
      headersTimeout: options.headersTimeout ?? 60000,
      requestTimeout: options.requestTimeout ?? 300000,
      keepAliveTimeout: options.keepAliveTimeout ?? 5000,
      writeTimeout: options.writeTimeout ?? 30000,
      lingerTimeout: options.lingerTimeout ?? 2000,
      ticketLifetime: options.ticketLifetime ?? 86400,
      minVersion: options.minVersion === 'TLSv1.3' ? 3 : 2,
      maxVersion: options.maxVersion === 'TLSv1.2' ? 2 : 3
    }
    this.#handle = binding.create(this.#options, options.key, options.cert, {
      request: (id, method, url, rawHeaders, bits) => this.#request(id, method, url, rawHeaders, bits),
      body: (id, chunk) => this.#sockets[slotOf(id)]?.request?.emit('data', chunk),
      end: (id) => this.#sockets[slotOf(id)]?.request?.ended(),
      drain: (id) => this.#sockets[slotOf(id)]?.response?.drained(),
      clientError: (id, code, reason) => this.#refuse(id, code, reason),
      connection: (id) => this.listenerCount('connection') && this.emit('connection', this.#socket(id)),
      secure: (id) => this.listenerCount('secureConnection') && this.emit('secureConnection', this.#socket(id)),
      tlsError: (id, error) => this.#tlsFailed(id, error),
      close: (id) => this.#gone(id),
      closed: () => this.#closed()
    })
    if (listener) this.on('request', listener as AnyListener)
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

  /** A numeric address, or "localhost"; without one all of them. Failures come as `error`. */
  listen(where: number | { port?: number; host?: string }, host?: string | (() => void), callback?: () => void): this {
    if (typeof where === 'object') return this.listen(where.port ?? 0, where.host, (host ?? callback) as () => void)
    const told = typeof host === 'function' ? host : callback
    const wanted = typeof host === 'string' ? host : undefined
    const address = wanted === 'localhost' ? '127.0.0.1' : (wanted ?? '::')
    if (!this.#handle) throw Object.assign(new Error('The server was closed'), { code: 'ERR_SERVER_NOT_RUNNING' })
    let error = binding.listen(this.#handle, address, where)
    if (error && wanted === undefined) error = binding.listen(this.#handle, '0.0.0.0', where)
    if (told && !error) this.once('listening', told)
    this.#listening = error === 0
    queueMicrotask(() => {
      if (error) this.emit('error', systemError(error, 'listen', address, where))
      else this.emit('listening')
    })
    return this
  }

  address(): Address | null {
    return this.#handle ? binding.address(this.#handle) : null
  }

  /** Serves new connections with this key and certificate. Throws, and keeps the old ones, when they do not fit. */
  setSecureContext({ key, cert }: Credentials): void {
    if (this.#handle) binding.setCredentials(this.#handle, key, cert)
  }

  getConnections(callback: (error: null, count: number) => void): this {
    const count = this.#handle ? binding.connections(this.#handle) : 0
    queueMicrotask(() => callback(null, count))
    return this
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

  closeIdleConnections(): void {
    if (this.#handle) binding.closeIdle(this.#handle)
  }

  closeAllConnections(): void {
    if (this.#handle) binding.closeAll(this.#handle)
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

  #refuse(id: Id, code: string, reason: string): void {
    const socket = this.#socket(id)
    const message = code.startsWith('HPE_') ? `Parse Error: ${reason}` : reason
    const error = Object.assign(new Error(message), { code, reason })
    if (this.emit('clientError', error, socket)) return
    socket.end(`HTTP/1.1 ${refusals[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
  }

  /** As in Node, what is no TLS is a `clientError` as well; there is nobody who could be answered. */
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

export default { createServer, Server }
