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
type OutgoingHeaders = readonly HeaderValue[] | Record<string, HeaderValue | undefined>

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
const keepAlive = 4
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
  #emitter: EventEmitter | undefined

  on(name: string, listener: Listener): this {
    this.#emitter ??= new EventEmitter()
    this.#emitter.on(name, listener as AnyListener)
    return this
  }

  once(name: string, listener: Listener): this {
    this.#emitter ??= new EventEmitter()
    this.#emitter.once(name, listener as AnyListener)
    return this
  }

  off(name: string, listener: Listener): this {
    this.#emitter?.off(name, listener as AnyListener)
    return this
  }

  emit(name: string, ...values: unknown[]): boolean {
    return this.#emitter?.emit(name, ...values) ?? false
  }

  listenerCount(name: string): number {
    return this.#emitter?.listenerCount(name) ?? 0
  }

  /** Whether anybody ever listened. */
  get observed(): boolean {
    return this.#emitter !== undefined
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
  readonly #handle: Handle
  readonly #id: Id
  #peer: Address | null | undefined
  #writable = true
  /** @internal The request that waits for its answer, or for more of its body. */
  request: IncomingMessage | undefined
  /** @internal */
  response: ServerResponse | undefined

  constructor(handle: Handle, id: Id) {
    super()
    this.#handle = handle
    this.#id = id
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
    return binding.protocol(this.#handle, this.#id)
  }

  getCipher(): { name: string } | undefined {
    const name = binding.cipher(this.#handle, this.#id)
    return name === null ? undefined : { name }
  }

  /** Writes what is given, as it is, and closes. */
  end(data: string | Uint8Array = ''): this {
    if (this.#writable) binding.end(this.#handle, this.#id, data)
    this.#writable = false
    return this
  }

  destroy(): this {
    if (this.#writable) binding.destroy(this.#handle, this.#id)
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
    this.#peer ??= binding.peer(this.#handle, this.#id)
    return this.#peer
  }
}

/** A request; its body comes with `data` and `end` as soon as somebody listens to `data`, or after `resume`. */
export class IncomingMessage extends Emitter {
  readonly method: string
  readonly url: string
  readonly rawHeaders: string[]
  readonly socket: Socket
  readonly #handle: Handle
  readonly #id: Id
  readonly #bits: number
  #headers: Record<string, string | string[]> | undefined
  #flowing = false
  #over = false
  complete: boolean
  destroyed = false

  constructor(handle: Handle, id: Id, socket: Socket, method: string, url: string, rawHeaders: string[], bits: number) {
    super()
    this.#handle = handle
    this.#id = id
    this.#bits = bits
    this.socket = socket
    this.method = method
    this.url = url
    this.rawHeaders = rawHeaders
    this.complete = (bits & hasBody) === 0
  }

  get httpVersion(): string {
    return this.#bits & isHttp11 ? '1.1' : '1.0'
  }

  get httpVersionMajor(): number {
    return 1
  }

  get httpVersionMinor(): number {
    return this.#bits & isHttp11 ? 1 : 0
  }

  get connection(): Socket {
    return this.socket
  }

  /** Names in lower case. Repeated ones joined as Node does: by comma, or the first alone, or a list for Set-Cookie. */
  get headers(): Record<string, string | string[]> {
    this.#headers ??= joined(this.rawHeaders)
    return this.#headers
  }

  override on(name: string, listener: Listener): this {
    super.on(name, listener)
    if (name === 'data') this.resume()
    return this
  }

  pause(): this {
    this.#flowing = false
    if (!this.complete) binding.pause(this.#handle, this.#id)
    return this
  }

  resume(): this {
    if (this.#flowing) return this
    this.#flowing = true
    if (!this.complete) binding.resume(this.#handle, this.#id)
    else queueMicrotask(() => this.ended())
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
    this.complete = true
    if (this.#over || this.destroyed) return
    this.#over = true
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

const alone = new Set([
  'age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host', 'if-modified-since',
  'if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer', 'retry-after',
  'server', 'user-agent'
])

function joined(raw: readonly string[]): Record<string, string | string[]> {
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
  readonly #handle: Handle
  readonly #id: Id
  #head: readonly (string | number)[] = []
  #set: Map<string, [string, HeaderValue]> | undefined
  #shape: number
  statusCode = 200
  shouldKeepAlive: boolean
  sendDate = true
  headersSent = false
  writableEnded = false
  writableFinished = false
  destroyed = false
  #hasHead = false

  constructor(handle: Handle, id: Id, request: IncomingMessage, bits: number) {
    super()
    this.#handle = handle
    this.#id = id
    this.req = request
    this.shouldKeepAlive = (bits & keepAlive) !== 0
    this.#shape = (request.method === 'HEAD' ? headOnly : 0) | (bits & isHttp11 ? chunked : closes)
  }

  get socket(): Socket {
    return this.req.socket
  }

  setHeader(name: string, value: HeaderValue): this {
    this.#set ??= new Map()
    this.#set.set(name.toLowerCase(), [name, value])
    return this
  }

  getHeader(name: string): HeaderValue | undefined {
    return this.#set?.get(name.toLowerCase())?.[1]
  }

  removeHeader(name: string): void {
    this.#set?.delete(name.toLowerCase())
  }

  /** Tells a client that waits with its body to go on (RFC 9110 10.1.1). */
  writeContinue(): void {
    binding.proceed(this.#handle, this.#id)
  }

  /** Settles status and headers; they leave with the first byte of the body. */
  writeHead(status: number, ...rest: [OutgoingHeaders?] | [string, OutgoingHeaders?]): this {
    if (this.#hasHead) throw Object.assign(new Error('Cannot write headers after they are sent'), { code: 'ERR_HTTP_HEADERS_SENT' })
    const headers = (typeof rest[0] === 'string' ? rest[1] : rest[0]) as OutgoingHeaders | undefined
    this.statusCode = status
    this.#head = Array.isArray(headers) ? headers : flat(headers as Record<string, HeaderValue | undefined> | undefined)
    if (this.#set) this.#head = [...this.#withSet(this.#head)]
    this.#hasHead = true
    return this
  }

  /** Sends a part of the body. False: wait for `drain` before the next. */
  write(chunk: string | Uint8Array): boolean {
    if (this.writableEnded || this.destroyed) return false
    const waiting = this.headersSent ? binding.more(this.#handle, this.#id, chunk, this.#shape | more) : this.#answer(chunk, more)
    return waiting === 0
  }

  /** Sends the head at once, before there is a body. */
  flushHeaders(): void {
    if (!this.headersSent && !this.destroyed) this.#answer(undefined, more)
  }

  end(body?: string | Uint8Array | (() => void), callback?: () => void): this {
    if (typeof body === 'function') return this.end(undefined, body)
    if (callback) this.once('finish', callback)
    if (this.writableEnded || this.destroyed) return this
    const waiting = this.headersSent
      ? binding.more(this.#handle, this.#id, body, this.#shape)
      : this.#answer(body, 0)
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

  #answer(body: string | Uint8Array | undefined, following: number): number {
    if (!this.#hasHead) this.writeHead(this.statusCode)
    if (!following || this.#hasLength()) this.#shape &= ~(chunked | closes)
    if (!this.shouldKeepAlive) this.#shape |= closes
    this.#hasHead = false // an answer that throws was not written, and may be given again
    const waiting = binding.answer(this.#handle, this.#id, this.statusCode, this.#head, body, this.#shape | following)
    this.#hasHead = this.headersSent = true
    return waiting
  }

  #hasLength(): boolean {
    const framing = (name: unknown, index: number) => index % 2 === 0 && /^content-length$/i.test(String(name))
    return this.#head.some(framing)
  }

  #withSet(given: readonly (string | number)[]): (string | number)[] {
    const names = new Set(given.filter((_, index) => index % 2 === 0).map((name) => String(name).toLowerCase()))
    const kept = [...(this.#set ?? [])].filter(([name]) => !names.has(name)).map(([, pair]) => pair)
    return [...flat(Object.fromEntries(kept)), ...given]
  }

  #finish(): void {
    const { socket } = this.req
    if (socket.response === this) socket.request = socket.response = undefined
    this.writableFinished = true
    if (this.observed || this.req.observed) queueMicrotask(() => this.#tell())
  }

  #tell(): void {
    this.emit('finish')
    this.closed()
    this.req.closed()
  }
}

function flat(headers: Record<string, HeaderValue | undefined> | undefined): (string | number)[] {
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
    const request = new IncomingMessage(this.#handle!, id, socket, method, url, rawHeaders, bits)
    const response = new ServerResponse(this.#handle!, id, request, bits)
    socket.request = request
    socket.response = response
    if (bits & isHttp11 && !(bits & hasHost) && this.#requireHost) {
      response.writeHead(400, ['Connection', 'close']).end()
    } else if (bits & expectsOther) {
      response.writeHead(417).end()
    } else {
      if (bits & expectsContinue && this.emit('checkContinue', request, response)) return
      if (bits & expectsContinue) response.writeContinue()
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
    const { code, text } = number < -4096
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
