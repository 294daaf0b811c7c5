import { fromBase64, strictUtf8Text } from '#runtime/base/bytes.ts'
import { type Caller, MessageError, message, type Proof } from '#runtime/contract'
import type { Accounts } from '#runtime/service/accounts/credentials.ts'
import type { Sessions } from '#runtime/service/accounts/sessions.ts'
import type { ClientCertificates } from '#runtime/service/certificates/client.ts'
import type { Head } from './head.ts'
import { asksForWebSocket, list } from './web-socket.ts'

const scheme = 'basic '

const challenge = { 'WWW-Authenticate': 'Basic realm="Redfish", charset="UTF-8"' }

const none: Caller['privileges'] = new Set()

/** The caller of a method that needs no authentication. */
export function anonymous(address: string): Caller {
  return { account: '', user: '', role: '', privileges: none, address, passwordChangeRequired: false }
}

/** Whether a request says by its headers who sends it. */
export function hasCredentials({ authorization, 'x-auth-token': token }: Head['headers']): boolean {
  return authorization !== undefined || token !== undefined
}

/** Tells who sends a request by `X-Auth-Token`, by HTTP Basic (RFC 7617) or by the certificate of the connection. */
export class Authentication {
  readonly #accounts: Accounts
  readonly #sessions: Sessions
  readonly #certificates: ClientCertificates

  constructor(accounts: Accounts, sessions: Sessions, certificates: ClientCertificates) {
    this.#accounts = accounts
    this.#sessions = sessions
    this.#certificates = certificates
  }

  /**
   * Returns a promise only if a password must be hashed. Credentials in the request take precedence over a client
   * certificate.
   *
   * @throws MessageError 401, for a malformed header as for a missing one
   */
  identify(head: Head): Caller | Promise<Caller> {
    const { headers, address } = head
    const token = headers['x-auth-token'] ?? webSocketToken(head)
    if (token !== undefined) {
      const caller = this.#sessions.find(token, address)
      return caller ?? this.#refuse()
    }
    if (headers.authorization === undefined) {
      const caller = this.certified(head)
      if (caller !== undefined) return caller
    }
    const credentials = this.#accounts.basicAuth === 'Disabled' ? '' : basic(headers.authorization ?? '')
    return this.#accounts.recall(credentials, address) ?? this.#verify(credentials, address)
  }

  /** A caller whose credentials need no check, because they had one; others are anonymous. */
  recall(head: Head): Caller {
    const { authorization, 'x-auth-token': token } = head.headers
    if (!hasCredentials(head.headers)) return this.certified(head) ?? anonymous(head.address)
    const known =
      token === undefined ? this.#recallBasic(authorization, head) : this.#sessions.find(token, head.address)
    return known ?? anonymous(head.address)
  }

  #recallBasic(authorization: string | undefined, { address }: Head): Caller | undefined {
    const credentials = this.#accounts.basicAuth === 'Disabled' ? '' : basic(authorization ?? '')
    return this.#accounts.recall(credentials, address)
  }

  /** As `identify`, but a caller without credentials, or with wrong ones, is anonymous. */
  recognize(head: Head): Caller | Promise<Caller> {
    if (!hasCredentials(head.headers)) return this.certified(head) ?? anonymous(head.address)
    const unknown = (error: unknown) => {
      if (error instanceof MessageError) return anonymous(head.address)
      throw error
    }
    try {
      const caller = this.identify(head)
      return caller instanceof Promise ? caller.catch(unknown) : caller
    } catch (error) {
      return unknown(error)
    }
  }

  /** The user to whom the certificate of the connection is mapped. */
  certified({ certificate, address }: Head): Caller | undefined {
    const presented = certificate?.()
    const holder = presented && this.#certificates.holder(presented)
    if (holder === undefined) return undefined
    return this.#accounts.named({ account: holder.user, certificate: holder.fingerprint }, address)
  }

  /**
   * A caller who was known before, as things are now: the session or the certificate is asked for again, and a password is
   * still right where the account is of the same generation. A lock-out is one of logins, and ends nothing.
   *
   * @throws MessageError 401 if the proof holds no longer
   */
  again(caller: Proof & Pick<Caller, 'address'>): Caller {
    return this.#again(caller) ?? this.#refuse()
  }

  #again({ address, ...proof }: Proof & Pick<Caller, 'address'>): Caller | undefined {
    const { account, session, certificate, generation } = proof
    if (account === '') return anonymous(address)
    if (session !== undefined) return this.#sessions.current(session, address)
    if (certificate === undefined && this.#accounts.basicAuth === 'Disabled') return undefined
    if (certificate !== undefined && !this.#certificates.standsFor(certificate, account)) return undefined
    const caller = this.#accounts.named(proof, address)
    return certificate !== undefined || caller?.generation === generation ? caller : undefined
  }

  /** Not a promise where the credentials are no name and password. */
  #verify(credentials: string, address: string): Promise<Caller> {
    const [user, password] = parseBasic(credentials) ?? this.#refuse()
    return this.#challenged(this.#accounts.verify(user, password, address))
  }

  /** 401 `NoValidSession` (DSP0266 13.3.1). */
  #refuse(): never {
    throw new MessageError(401, [message('Base.NoValidSession')], this.#challenge)
  }

  get #challenge() {
    return this.#accounts.basicAuth === 'Enabled' ? challenge : {}
  }

  async #challenged(verifying: Promise<Caller>): Promise<Caller> {
    try {
      return await verifying
    } catch (error) {
      if (!(error instanceof MessageError) || error.status !== 401) throw error
      throw new MessageError(401, error.messages, { ...error.headers, ...this.#challenge })
    }
  }
}

/** A page in a browser has no other way to say who opens a WebSocket than the protocol that it offers (bmcweb). */
function webSocketToken(head: Head): string | undefined {
  if (head.headers.upgrade === undefined || head.headers.authorization !== undefined) return undefined
  return asksForWebSocket(head) ? list(head.headers['sec-websocket-protocol'])[0] : undefined
}

/** The credentials of HTTP Basic, or none. A regular expression would cost every request more than all the rest here. */
function basic(header: string): string {
  return header.slice(0, scheme.length).toLowerCase() === scheme ? header.slice(scheme.length).trim() : ''
}

/** Undefined for what is no name and password. */
function parseBasic(credentials: string): [user: string, password: string] | undefined {
  const text = base64.test(credentials) ? decode(credentials) : undefined
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 1 || control.test(text)) return undefined
  return [text.slice(0, colon), text.slice(colon + 1)]
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** RFC 7617, section 2: neither name nor password holds any. Hashes pad with NUL, so that one more would not be seen. */
const control = /[\0-\x1f\x7f]/

function decode(base64: string): string | undefined {
  try {
    return strictUtf8Text(fromBase64(base64))
  } catch {
    return undefined
  }
}
