import { connect, type TLSSocket } from 'node:tls'
import type { Configuration } from '#data/configuration'
import { parseSyslogDestination, type Subscription } from '#data/events'
import { type Connection, DeliveryError, type Trust, tlsOptions } from './destination.ts'

/**
 * The one connection to a receiver of syslog over TLS (RFC 5425). Nothing comes back over it: a message is delivered when
 * the network has taken it.
 */
export class SyslogDestination implements Connection {
  readonly server: string
  readonly #subscription: Subscription
  readonly #settings: Configuration['events']
  readonly #trust: Trust
  #socket: TLSSocket | undefined
  #shown: string | undefined
  #idle: ReturnType<typeof setTimeout> | undefined
  #posting: Promise<void> = Promise.resolve()

  constructor(subscription: Subscription, settings: Configuration['events'], trust: Trust) {
    this.server = subscription.destination
    this.#subscription = subscription
    this.#settings = settings
    this.#trust = trust
  }

  /** Sends frames. */
  post(text: string): Promise<void> {
    this.#posting = this.#post(text)
    return this.#posting
  }

  end(): void {
    const end = () => {
      clearTimeout(this.#idle)
      this.#socket?.end()
      this.#socket = undefined
    }
    this.#posting.then(end, end)
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #post(text: string): Promise<void> {
    const { connectTime, deliveryTime, keepAlive } = this.#settings
    clearTimeout(this.#idle)
    if (this.#subscription.mutualAuthentication && this.#trust.identity()?.cert !== this.#shown) this.close()
    // A connection that the receiver has closed still takes bytes, and loses them: its end is heard first.
    await new Promise<void>((resolve) => setImmediate(resolve))
    try {
      const socket = this.#socket ?? (await within(connectTime, (done) => this.#connect(done)))
      await within(deliveryTime, (done) => socket.write(text, done))
    } catch (error) {
      this.close()
      const { message, code = '' } = error as NodeJS.ErrnoException
      throw new DeliveryError((message.split('\n')[0] || code).slice(0, 160))
    }
    this.#idle = setTimeout(() => this.end(), keepAlive * 1000)
    this.#idle.unref()
  }

  #connect(done: (error?: Error) => void): TLSSocket {
    const { host = '', port } = parseSyslogDestination(this.#subscription.destination) ?? {}
    const options = tlsOptions(this.#subscription, this.#trust)
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, ...options })
    this.#socket = socket
    this.#shown = options.cert
    // The words of a receiver are of no interest, but its end is.
    socket.resume()
    socket.on('secureConnect', () => done())
    socket.on('error', done)
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      done(new Error('other side closed'))
    })
    return socket
  }
}

/** Waits until work is done: for its result, or its error. */
function within<T>(seconds: number, work: (done: (error?: Error | null) => void) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), seconds * 1000)
    const result = work((error) => {
      clearTimeout(late)
      if (error) reject(error)
      else resolve(result)
    })
  })
}
