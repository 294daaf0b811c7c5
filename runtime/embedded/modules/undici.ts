/**
 * The package `undici` as far as the service uses it: an HTTPS client on one connection to one server, over C of our
 * own.
 *
 * Left out: plain HTTP, HTTP/2, pipelining, upgrades, abort signals, streams as bodies of requests, `dispatch` and its
 * interceptors. Without `ca` no server is trusted: the binary brings no list of authorities along.
 */

import binding, { type Handle } from 'minnow:client'
import { Body } from '../client/body.ts'
import * as errors from '../client/errors.ts'
import { type ClientOptions, check, originOf } from '../client/options.ts'
import { type RequestOptions, type Written, write } from '../client/request.ts'

export type { Body, ClientOptions, RequestOptions }
export { errors }

export interface Response {
  statusCode: number
  headers: Record<string, string | string[]>
  body: Body
}

interface Pending extends Written {
  headersTimeout: number
  bodyTimeout: number
  resolve(response: Response): void
  /** Rejects the request, or ends its body if that has started. */
  fail(error: Error): void
}

const isHead = 1
const last = 2
const maxInterim = 16

/** Names in lower case; repeated ones as a list. */
function headersOf(raw: readonly string[]): Record<string, string | string[]> {
  const headers = new Map<string, string | string[]>()
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase()
    const known = headers.get(name)
    headers.set(name, known === undefined ? raw[index + 1]! : [known, raw[index + 1]!].flat())
  }
  return Object.fromEntries(headers)
}

/** Requests to one server, one after another over one connection, which is opened when one needs it. */
export class Client {
  readonly #url: URL
  readonly #options: ClientOptions
  readonly #queue: Pending[] = []
  readonly #whenClosed: (() => void)[] = []
  #handle: Handle | undefined
  #current: Pending | undefined
  #isDue = false
  closed = false
  destroyed = false

  constructor(origin: string | URL, options: ClientOptions = {}) {
    check(options)
    this.#url = originOf(origin)
    this.#options = options
  }

  /** Rejects with an error that has undici's, Node.js's or OpenSSL's code. */
  async request(options: RequestOptions): Promise<Response> {
    const written = write(options, this.#url.host)
    if (this.destroyed) throw new errors.ClientDestroyedError()
    if (this.closed) throw new errors.ClientClosedError()
    const headersTimeout = options.headersTimeout ?? this.#options.headersTimeout ?? 300_000
    const bodyTimeout = options.bodyTimeout ?? this.#options.bodyTimeout ?? 300_000
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...written, headersTimeout, bodyTimeout, resolve, fail: reject })
      this.#next()
    })
  }

  /** Lets the requests be answered, and takes no others. */
  async close(): Promise<void> {
    if (this.destroyed) throw new errors.ClientDestroyedError()
    this.closed = true
    await new Promise<void>((resolve) => {
      this.#whenClosed.push(resolve)
      this.#next()
    })
  }

  /** Drops the connection; requests under way and waiting are rejected. */
  async destroy(error: Error | null = null): Promise<void> {
    if (this.destroyed) return
    this.destroyed = true
    if (this.#handle) binding.drop(this.#handle)
    this.#failAll(error ?? new errors.ClientDestroyedError())
    for (const resolve of this.#whenClosed.splice(0)) resolve()
  }

  #open(): Handle {
    const { connect = {}, connectTimeout, keepAliveTimeout, maxHeaderSize, maxResponseSize } = this.#options
    const host = this.#url.hostname.replace(/^\[|\]$/g, '')
    return binding.create({
      host,
      port: Number(this.#url.port || 443),
      name: connect.servername || host,
      verify: connect.rejectUnauthorized !== false,
      ca: connect.ca === undefined ? undefined : [connect.ca].flat().join('\n'),
      cert: connect.cert,
      key: connect.key,
      connectTimeout: connect.timeout ?? connectTimeout ?? 10_000,
      keepAliveTimeout: keepAliveTimeout ?? 4000,
      maxHead: maxHeaderSize ?? 16_384,
      maxBody: maxResponseSize ?? -1,
      maxInterim
    })
  }

  /** Begins the next request, if none is under way. */
  #next(): void {
    if (this.#current || this.#isDue || this.destroyed) return
    if (this.#queue.length === 0) {
      if (this.closed) void this.destroy()
    } else if (this.#handle && binding.isIdle(this.#handle)) {
      // The server may have closed it meanwhile: the loop learns of that before anything is sent.
      this.#isDue = true
      setImmediate(() => {
        this.#isDue = false
        this.#send()
      })
    } else {
      this.#send()
    }
  }

  #send(): void {
    const request = this.#queue.shift()
    if (!request) return
    this.#current = request
    try {
      this.#handle ??= this.#open()
    } catch (error) {
      this.#failAll(error as Error)
      return
    }
    const { head, body, headersTimeout, bodyTimeout } = request
    const flags = (request.isHead ? isHead : 0) | (request.last ? last : 0)
    binding.request(this.#handle, head, body, flags, headersTimeout, bodyTimeout, this.#events(this.#handle, request))
  }

  /** The answer to one request, or its failure. */
  #events(handle: Handle, request: Pending) {
    let body: Body | undefined
    const over = () => {
      this.#current = undefined
      this.#next()
    }
    return {
      head: (statusCode: number, raw: string[]) => {
        const headers = headersOf(raw)
        this.#keep(handle, String(headers['keep-alive'] ?? ''))
        const abort = () => {
          binding.drop(handle)
          over()
        }
        const source = { pause: () => binding.pause(handle), resume: () => binding.resume(handle), abort }
        const received = new Body(source, request.isHead ? 0 : Number(headers['content-length'] ?? 0))
        body = received
        request.fail = (error) => received.fail(error)
        request.resolve({ statusCode, headers, body })
      },
      body: (chunk: Uint8Array) => body?.push(chunk),
      end: () => {
        body?.finish()
        over()
      },
      error: (code: string, reason: string, connecting: boolean) => {
        const error = errors.errorOf(code, reason)
        if (connecting) this.#failAll(error)
        else request.fail(error)
        over()
      }
    }
  }

  /** The server's own limit for idle connections applies, with a reserve for bytes in transit. */
  #keep(handle: Handle, hint: string): void {
    const [, seconds] = /timeout=(\d+)/.exec(hint) ?? []
    if (seconds === undefined) return
    const { keepAliveMaxTimeout = 600_000, keepAliveTimeoutThreshold = 2000 } = this.#options
    binding.keep(handle, Math.max(0, Math.min(Number(seconds) * 1000 - keepAliveTimeoutThreshold, keepAliveMaxTimeout)))
  }

  #failAll(error: Error): void {
    const requests = [this.#current, ...this.#queue.splice(0)]
    this.#current = undefined
    for (const request of requests) request?.fail(error)
  }
}
