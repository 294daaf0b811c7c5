/** Node's net.connect to a socket of the local domain, as far as the service uses it, over `runtime/embedded/local`. */

import local, { type Pipe } from 'minnow:local'
import system from 'minnow:system'
import { EventEmitter } from 'node:events'

/** Node's net.Socket. */
export class Socket extends EventEmitter {
  readonly #pipe: Pipe
  destroyed = false

  constructor(path: string) {
    super()
    this.#pipe = local.connect(path, {
      connect: () => this.emit('connect'),
      data: (chunk) => {
        if (!this.destroyed) this.emit('data', chunk)
      },
      close: (error) => this.#closed(error, path)
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

  #closed(error: number, path: string): void {
    this.destroyed = true
    if (error !== 0) {
      const { code } = system.describeError(error)
      const details = { errno: error, code, syscall: 'connect', address: path }
      this.emit('error', Object.assign(new Error(`connect ${code} ${path}`), details))
    }
    this.emit('close', error !== 0)
  }
}

/** Node's net.connect; a path only. */
export function connect({ path }: { path: string }): Socket {
  return new Socket(path)
}
