/**
 * The parts of Node's tls.connect that the service uses: a connection of the HTTPS client, which only sends and ends
 * when it receives bytes, and TLS over an open socket. Also tls.createSecureContext, for the HTTPS server.
 */

import binding, { type Handle } from 'minnow:client'
import { EventEmitter } from 'node:events'
import { errorOf } from '../client/errors.ts'
import { createSecureContext } from '../https/secure-context.ts'
import type { TcpSocket } from './net.ts'

export { createSecureContext }

interface SecureOptions {
  socket: TcpSocket
  /** Whom the certificate has to name. */
  host: string
  /** PEM. */
  ca: readonly string[]
}

interface Options {
  host: string
  port: number
  rejectUnauthorized: boolean
  /** PEM. */
  ca?: readonly string[]
  cert?: string
  key?: string
}

const oneWay = 4

/** Node's tls.TLSSocket, with one write at a time. A write reopens a connection that the server has closed. */
export class TLSSocket extends EventEmitter {
  readonly #handle: Handle

  constructor({ host, port, rejectUnauthorized, ca, cert, key }: Options) {
    super()
    this.#handle = binding.create({
      host,
      port,
      name: host,
      verify: rejectUnauthorized,
      ca: ca?.join('\n'),
      cert,
      key,
      connectTimeout: 0,
      keepAliveTimeout: 0,
      maxHead: 0,
      maxBody: 0,
      maxInterim: 0
    })
    this.#send('', (error) => {
      if (error === undefined) this.emit('secureConnect')
    })
  }

  write(text: string, done: (error?: Error) => void): boolean {
    this.#send(text, done)
    return true
  }

  resume(): this {
    return this
  }

  end(): this {
    binding.end(this.#handle)
    return this
  }

  destroy(): this {
    binding.drop(this.#handle)
    return this
  }

  #send(text: string, done: (error?: Error) => void): void {
    binding.request(this.#handle, new Uint8Array(), text, oneWay, 0, 0, {
      head: () => undefined,
      body: () => undefined,
      end: () => done(),
      error: (code, reason) => {
        const error = errorOf(code, reason)
        done(error)
        this.emit('error', error)
        this.emit('close', true)
      }
    })
  }
}

/** Node's tls.TLSSocket over a connection that is there. */
class SecuredSocket extends EventEmitter {
  readonly #socket: TcpSocket

  constructor({ socket, host, ca }: SecureOptions) {
    super()
    this.#socket = socket
    socket.secure(this, host, ca.join('\n'))
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket.write(bytes)
  }

  destroy(): this {
    this.#socket.destroy()
    return this
  }
}

/** Node's tls.connect. Over a socket, the certificate of the server is always checked. */
export const connect = (options: Options | SecureOptions) =>
  'socket' in options ? new SecuredSocket(options) : new TLSSocket(options)
