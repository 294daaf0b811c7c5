import binding from 'minnow:https'
import { Emitter, type Listener } from './emitter.ts'
import type { Socket } from './socket.ts'

// The bits that C sets for a request; see `request` in https.d.ts.
export const hasBody = 1
export const isHttp11 = 2
export const keepAlive = 4
export const hasHost = 8
export const expectsContinue = 16
export const expectsOther = 32
export const upgrades = 64

/** A request; its body arrives with `data` and `end` once `data` has a listener, or after `resume`. */
export class IncomingMessage extends Emitter {
  readonly socket: Socket
  readonly method: string
  readonly url: string
  readonly rawHeaders: string[]
  /** @internal The flags of the request from C. */
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

  /**
   * Gives the rest of the request this number of milliseconds, instead of the time of all requests. Node.js has no such
   * call.
   */
  allow(time: number): void {
    binding.allow(this.socket.handle, this.socket.id, time)
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

  /** @internal The answer is being sent, or the connection has ended. */
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

// Values that nearly all requests share are on the prototype: an object with few properties is made faster.
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
