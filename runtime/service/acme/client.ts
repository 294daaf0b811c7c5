import { Client } from 'undici'
import type { Configuration } from '#data/configuration'
import { parseDestination } from '#data/events'
import { strictUtf8Text } from '#runtime/base/bytes.ts'
import { type AccountKey, jwk, signed } from './jws.ts'

/** Why no certificate was had, in words for the log and for clients. */
export class AcmeError extends Error {}

/** An object in an answer of the server; its members can have any type. */
export type Json = { readonly [name: string]: unknown }

export const textIn = (json: Json, name: string): string => {
  const value = json[name]
  return typeof value === 'string' ? value : fault(`the answer has no ${name}`)
}

export const listIn = (json: Json, name: string): readonly unknown[] => {
  const value = json[name]
  return Array.isArray(value) ? value : fault(`the answer has no ${name}`)
}

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Text of another machine for the log: printable ASCII, at most 200 characters. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)

function fault(words: string): never {
  throw new AcmeError(words)
}

interface Answer {
  readonly location: string
  readonly text: string
}

/** How often the server may refuse a nonce of its own. */
const mostNonces = 3

/**
 * An ACME server as one account sees it (RFC 8555, section 6): signed requests, one after another. They go to the server
 * of the directory and to no other, whatever it names and wherever it redirects to.
 */
export class AcmeClient {
  readonly #client: Client
  readonly #origin: string
  readonly #key: AccountKey
  #urls: Json = {}
  #nonce: string | undefined
  #account: string | undefined

  /** @param authorities that may vouch for the server, PEM */
  constructor(server: string, key: AccountKey, authorities: readonly string[], settings: Configuration['enrollment']) {
    const { origin } = parseDestination(server) ?? fault('the URL of the server does not begin with https')
    const time = settings.answerTime * 1000
    this.#origin = origin.toLowerCase()
    this.#key = key
    this.#client = new Client(origin, {
      connect: { timeout: time, rejectUnauthorized: true, ca: [...authorities] },
      headersTimeout: time,
      bodyTimeout: time,
      maxHeaderSize: 8192,
      maxResponseSize: settings.answerBytes,
      pipelining: 1
    })
  }

  /** Reads the directory. @throws AcmeError, or the error of the connection; so do all others */
  async open(server: string): Promise<void> {
    this.#urls = parsed((await this.#send('GET', server)).text)
  }

  /** Makes the account, or finds the one that has the key. @param more of the request, by the URL that it goes to */
  async register(more: (url: string) => object): Promise<void> {
    const url = textIn(this.#urls, 'newAccount')
    this.#account = undefined
    this.#account = (await this.#post(url, { termsOfServiceAgreed: true, ...more(url) })).location
  }

  /** Begins an order. @returns it, with its URL */
  async order(identifiers: readonly object[]): Promise<{ readonly url: string; readonly order: Json }> {
    const { location, text } = await this.#post(textIn(this.#urls, 'newOrder'), { identifiers })
    return { url: location, order: parsed(text) }
  }

  /** The object at a URL, read with POST-as-GET (RFC 8555, section 6.3). */
  async read(url: string): Promise<Json> {
    return parsed(await this.text(url))
  }

  async text(url: string): Promise<string> {
    return (await this.#post(url, '')).text
  }

  async tell(url: string, payload: object): Promise<void> {
    await this.#post(url, payload)
  }

  close(): void {
    this.#client.destroy().catch(() => undefined)
  }

  async #post(url: string, payload: object | ''): Promise<Answer> {
    for (let left = mostNonces; ; left -= 1) {
      if (this.#nonce === undefined) await this.#send('HEAD', textIn(this.#urls, 'newNonce'))
      const nonce = this.#nonce ?? fault('the server gives no nonce')
      this.#nonce = undefined
      const who = this.#account === undefined ? { jwk: jwk(this.#key) } : { kid: this.#account }
      const answer = await this.#send('POST', url, signed(this.#key, { ...who, nonce, url }, payload))
      if (answer.status < 300) return answer
      const { type, detail } = problem(answer.text)
      if (left === 1 || type !== 'urn:ietf:params:acme:error:badNonce')
        fault(`HTTP status ${answer.status} ${printable(`${type} ${detail}`)}`.trim())
    }
  }

  async #send(method: string, url: string, body?: string): Promise<Answer & { readonly status: number }> {
    const { origin, path } = parseDestination(url) ?? fault(`the server names no https URL: ${printable(url)}`)
    if (origin.toLowerCase() !== this.#origin) fault(`the server names a URL of another server: ${printable(url)}`)
    const headers = { 'user-agent': 'redfish', ...(body !== undefined && { 'content-type': 'application/jose+json' }) }
    const answer = await this.#client.request({ method: method as 'GET', path, headers, body: body ?? null })
    const { statusCode: status, headers: told } = answer
    const text = strictUtf8Text(new Uint8Array(await answer.body.arrayBuffer()))
    if (status >= 300 && status < 400) fault(`the server redirects: HTTP status ${status}`)
    if (body === undefined && status > 299) fault(`HTTP status ${status}`)
    const nonce = told['replay-nonce']
    if (typeof nonce === 'string') this.#nonce = nonce
    return { status, text, location: String(told.location ?? '') }
  }
}

function parsed(text: string): Json {
  try {
    const json: unknown = JSON.parse(text)
    if (isObject(json)) return json
  } catch {
    // As for another value.
  }
  return fault('the answer is no JSON object')
}

/** RFC 7807, as far as it is there. */
function problem(text: string): { readonly type: string; readonly detail: string } {
  try {
    const { type = '', detail = '' } = parsed(text)
    return { type: String(type), detail: String(detail) }
  } catch {
    return { type: '', detail: '' }
  }
}
