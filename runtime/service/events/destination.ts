import { Client } from 'undici'
import type { Configuration } from '#data/configuration'
import { parseDestination, type Subscription } from '#data/events'
import { log } from '#runtime/base/log.ts'

/** The cause of a failed delivery, in words for the subscription's owner. */
export class DeliveryError extends Error {}

/** The service's own certificate, and the authorities that it trusts. */
export interface Trust {
  /** The service's own key and certificate, PEM; new connections have what it then is. */
  identity(): { readonly key: string; readonly cert: string } | undefined
  /** The certificates of the authorities that the service trusts, PEM. */
  authorities(): readonly string[]
}

/** The connection to a subscriber, made when there is something to post. */
export interface Connection {
  /** Whose it is: the same for all connections to one server. */
  readonly server: string
  /** @throws DeliveryError */
  post(text: string): Promise<void>
  /** Lets go of the connection when what is on its way has arrived. */
  end(): void
  /** Lets go of the connection at once; the next `post` makes another. */
  close(): void
}

/** The part of TLS's options that a subscription decides. */
export function tlsOptions({ verifyCertificate, mutualAuthentication }: Subscription, trust: Trust) {
  return {
    rejectUnauthorized: verifyCertificate,
    ...(verifyCertificate && { ca: [...trust.authorities()] }),
    ...(mutualAuthentication && trust.identity())
  }
}

/** Errors of an idle connection that the subscriber has closed meanwhile. */
const closedMeanwhile = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** The one connection to a subscriber, made when there is something to post and kept while that comes often. */
export class Destination implements Connection {
  readonly server: string
  readonly #subscription: Subscription
  readonly #headers: Readonly<Record<string, string>>
  readonly #settings: Configuration['events']
  readonly #trust: Trust
  readonly #place: ReturnType<typeof parseDestination>
  #client: Client | undefined
  #shown: string | undefined
  #used = false
  #late = false

  constructor(
    subscription: Subscription,
    headers: Readonly<Record<string, string>>,
    settings: Configuration['events'],
    trust: Trust
  ) {
    this.#subscription = subscription
    this.#headers = { ...headers, 'content-type': 'application/json;charset=utf-8' }
    this.#settings = settings
    this.#trust = trust
    this.#place = parseDestination(subscription.destination)
    this.server = this.#place?.origin ?? ''
  }

  /**
   * Posts a notification. Any 2xx is success; the rest of the answer is of no interest.
   *
   * @throws DeliveryError
   */
  async post(body: string): Promise<void> {
    this.#late = false
    const late = setTimeout(() => {
      this.#late = true
      this.close()
    }, this.#settings.deliveryTime * 1000)
    try {
      await this.#post(body)
    } finally {
      clearTimeout(late)
    }
  }

  end(): void {
    this.#client?.close().catch((error: Error) => log.debug('a connection was not closed', { cause: error.message }))
  }

  close(): void {
    const client = this.#client
    this.#client = undefined
    this.#used = false
    client?.destroy().catch((error: Error) => log.debug('a connection was not closed', { cause: error.message }))
  }

  async #post(body: string): Promise<void> {
    if (this.#subscription.mutualAuthentication && this.#trust.identity()?.cert !== this.#shown) this.close()
    const used = this.#used
    try {
      await this.#exchange(body)
    } catch (error) {
      this.close()
      if (error instanceof DeliveryError) throw error
      const { code = '', message } = error as NodeJS.ErrnoException
      if (used && !this.#late && closedMeanwhile.has(code)) return this.#post(body)
      if (this.#late) throw new DeliveryError(`no answer within ${this.#settings.deliveryTime} s`)
      throw new DeliveryError((message.split('\n')[0] || code).slice(0, 160))
    }
  }

  async #exchange(body: string): Promise<void> {
    const path = this.#place?.path ?? '/'
    this.#client ??= this.#connect()
    const answer = await this.#client.request({ method: 'POST', path, headers: this.#headers, body })
    this.#used = true
    await answer.body.dump()
    const { statusCode } = answer
    if (statusCode < 200 || statusCode > 299) throw new DeliveryError(`HTTP status ${statusCode}`)
  }

  #connect(): Client {
    const { connectTime, deliveryTime, keepAlive, answerHead, answerBody } = this.#settings
    const options = tlsOptions(this.#subscription, this.#trust)
    this.#shown = options.cert
    return new Client(this.server, {
      connect: {
        timeout: connectTime * 1000,
        ...options
      },
      headersTimeout: deliveryTime * 1000,
      bodyTimeout: deliveryTime * 1000,
      keepAliveTimeout: keepAlive * 1000,
      maxHeaderSize: answerHead,
      maxResponseSize: answerBody,
      pipelining: 1
    })
  }
}
