/** Node's net for sockets of the local domain, as far as the service uses it, over `runtime/embedded/local`. */

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

/** Node's net.connect; a path only. */
export function connect({ path }: { path: string }): Socket {
  return new Socket(path, (events) => local.connect(path, events))
}

/** Node's net.createServer; for a path only. */
export function createServer(listener: (socket: Socket) => void): Server {
  return new Server().on('connection', listener) as Server
}
