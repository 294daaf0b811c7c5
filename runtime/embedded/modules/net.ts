/**
 * Node's net, as far as the service uses it: sockets of the local domain over `runtime/embedded/local`, and connections to
 * TCP servers over `runtime/embedded/client`.
 */

import client, { type Stream } from 'minnow:client'
import local, { type Events, type Listening, type Pipe } from 'minnow:local'
import system from 'minnow:system'
import { EventEmitter } from 'node:events'

/** Node's net.Socket. */
export class Socket extends EventEmitter {
  readonly #pipe: Pipe
  readonly #path: string
  destroyed = false

  /** @param open begins the connection */
  constructor(path: string, open: (events: Events) => Pipe) {
    super()
    this.#path = path
    this.#pipe = open({
      connect: () => this.emit('connect'),
      data: (chunk) => {
        if (!this.destroyed) this.emit('data', chunk)
      },
      close: (error) => this.#closed(error)
    })
  }

  write(bytes: string | Uint8Array): boolean {
    if (!this.destroyed && local.write(this.#pipe, bytes) !== 0) this.destroy()
    return !this.destroyed
  }

  destroy(): this {
    this.destroyed = true
    local.destroy(this.#pipe)
    return this
  }

  #closed(error: number): void {
    this.destroyed = true
    if (error !== 0) this.emit('error', failure('connect', error, this.#path))
    this.emit('close', error !== 0)
  }
}

/** Node's net.Server. */
export class Server extends EventEmitter {
  #listening: Listening | undefined

  /** Begins to listen. It emits `listening`, or `error`. */
  listen(path: string): this {
    const result = local.listen(path, () => this.emit('connection', this.#accept(path)))
    if (typeof result !== 'number') this.#listening = result
    queueMicrotask(() => {
      if (typeof result === 'number') this.emit('error', failure('listen', result, path))
      else this.emit('listening')
    })
    return this
  }

  /** Connections that were accepted go on. */
  close(): this {
    if (this.#listening !== undefined) local.unlisten(this.#listening)
    this.#listening = undefined
    return this
  }

  #accept(path: string): Socket {
    return new Socket(path, (events) => local.accept(this.#listening as Listening, events))
  }
}

function failure(syscall: string, errno: number, address: string): Error {
  const { code } = system.describeError(errno)
  return Object.assign(new Error(`${syscall} ${code} ${address}`), { errno, code, syscall, address })
}

/** A connection to a TCP server. tls.connect takes it over: bytes and failures then go to the socket of TLS. */
export class TcpSocket extends EventEmitter {
  #stream: Stream | undefined
  #receiver: EventEmitter = this
  #event = 'connect'
  destroyed = false

  constructor(host: string, port: number) {
    super()
    client.resolve(host, (addresses) => {
      if (addresses.length === 0) this.#end('ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`)
      else this.#try(addresses, port)
    })
  }

  write(bytes: Uint8Array): boolean {
    if (this.#stream !== undefined && !this.destroyed) client.writeStream(this.#stream, bytes)
    return true
  }

  destroy(): this {
    this.destroyed = true
    if (this.#stream !== undefined) client.destroyStream(this.#stream)
    return this
  }

  /** Begins TLS. @param ca PEM */
  secure(receiver: EventEmitter, name: string, ca: string): void {
    this.#receiver = receiver
    this.#event = 'secureConnect'
    if (this.#stream !== undefined && !this.destroyed) client.secureStream(this.#stream, name, ca)
  }

  /** The addresses of a host are tried in order, until one of them accepts the connection. */
  #try([address = '', ...others]: readonly string[], port: number): void {
    if (this.destroyed) return
    let connected = false
    const ended = (code: string, reason: string) => {
      if (!connected && others.length > 0) this.#try(others, port)
      else this.#end(code, reason)
    }
    try {
      this.#stream = client.openStream(address, port, {
        ready: () => {
          connected = true
          this.#receiver.emit(this.#event)
        },
        data: (chunk) => void this.#receiver.emit('data', chunk),
        close: ended
      })
    } catch {
      ended('EHOSTUNREACH', `connect EHOSTUNREACH ${address}:${port}`)
    }
  }

  #end(code: string, reason: string): void {
    if (this.destroyed) return
    this.destroyed = true
    if (code !== '') this.#receiver.emit('error', Object.assign(new Error(reason), { code }))
    this.#receiver.emit('close', code !== '')
  }
}

/** Node's net.connect. */
export function connect(options: { path: string }): Socket
export function connect(options: { host: string; port: number }): TcpSocket
export function connect(options: { path: string } | { host: string; port: number }): Socket | TcpSocket {
  if ('host' in options) return new TcpSocket(options.host, options.port)
  const { path } = options
  return new Socket(path, (events) => local.connect(path, events))
}

/** Node's net.createServer; for a path only. */
export function createServer(listener: (socket: Socket) => void): Server {
  return new Server().on('connection', listener) as Server
}
