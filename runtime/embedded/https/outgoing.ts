import binding from 'minnow:https'
import { Emitter } from './emitter.ts'
import { type IncomingMessage, isHttp11, keepAlive } from './incoming.ts'
import type { Socket } from './socket.ts'

/** A flat list of names and values, or an object; a list in the place of a value: the header several times. */
type HeaderValue = string | number | readonly string[]
type HeaderObject = Record<string, HeaderValue | undefined>
type OutgoingHeaders = readonly HeaderValue[] | HeaderObject

// The shape of an answer; see `answer` in https.d.ts.
const more = 1
const chunked = 2
const headOnly = 4
const closes = 8

/** An answer. With `writeHead` and `end` it leaves in one piece; `write` sends what there is, in the chunked coding. */
export class ServerResponse extends Emitter {
  readonly req: IncomingMessage
  declare statusCode: number
  declare headersSent: boolean
  declare writableEnded: boolean
  declare writableFinished: boolean
  declare destroyed: boolean
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

  /** Whether the client may send another request after this answer. */
  get shouldKeepAlive(): boolean {
    return (this.req.bits & keepAlive) !== 0
  }

  set shouldKeepAlive(value: boolean) {
    this.req.bits = value ? this.req.bits | keepAlive : this.req.bits & ~keepAlive
  }

  get takesBytes(): true {
    return true
  }

  /** Bytes that wait for the client. */
  get writableLength(): number {
    return Math.max(0, binding.waiting(this.req.socket.handle, this.req.socket.id))
  }

  /** True while a `drain` event will follow. */
  get writableNeedDrain(): boolean {
    return !this.destroyed && !this.writableEnded && this.writableLength > 0
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

  /**
   * Before `end`: the same answer is given without an event to other requests with the same first line, from the same
   * caller, whose headers are the same but for credentials and names of programs and requests, until the server has to
   * forget it, or to drop its subject. The credentials of this request identify the caller for this number of
   * milliseconds, or until the server is called with `forgetCallers`. Each time is noted in the cell `use`, by
   * `performance.now()`.
   */
  repeatable(time: number, caller: string, subject: string, use?: Float64Array, moments?: Int32Array): void {
    binding.repeatable(this.req.socket.handle, this.req.socket.id, time, caller, subject, use, moments)
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

  /** The number of waiting bytes, or a negative number when the connection has ended. */
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
    if (this.emitter || req.emitter) queueMicrotask(() => this.#emitEnd())
  }

  #emitEnd(): void {
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
  destroyed: false
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
