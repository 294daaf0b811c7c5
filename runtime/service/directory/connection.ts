import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { DirectoryServer } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { concatenated } from '#runtime/base/bytes.ts'
import { ipBytes } from '#runtime/base/ip.ts'
import {
  type Answer,
  bindRequest,
  type Entry,
  envelope,
  messageLength,
  readAnswer,
  resultCodes,
  type Search,
  searchRequest,
  startTlsRequest,
  unbindRequest
} from './messages.ts'

/** Why a directory did not say what was asked, in words for the log. */
export class DirectoryError extends Error {
  /** Whether it is the server: another one may say it, and this one is left alone for a while. */
  readonly isOfServer: boolean

  constructor(words: string, isOfServer = false) {
    super(words)
    this.isOfServer = isOfServer
  }
}

type Settings = Configuration['directory']

/** The members that TCP and TLS sockets share and that this uses. */
interface Wire {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close' | 'connect' | 'secureConnect', listener: () => void): unknown
  write(bytes: Uint8Array): unknown
  destroy(): unknown
}

interface Waiting {
  readonly id: number
  readonly entries: Entry[]
  readonly most: number
  readonly resolve: (answer: { readonly code: number; readonly diagnostic: string; readonly entries: Entry[] }) => void
}

/**
 * A connection to a directory for one login, always under TLS: from its start, or from StartTLS on (RFC 4511 4.14). The
 * bytes that the directory sends, and the time that it takes, are limited for the login as a whole.
 */
export class DirectoryConnection {
  readonly #settings: Settings
  #wire: Wire
  /** Of the message that has begun to arrive: its bytes so far, and how many it takes to read on. */
  #chunks: Uint8Array[] = []
  #held = 0
  #wanted = 0
  /** Of all messages. */
  #total = 0
  #lastId = 0
  #waiting: Waiting | undefined
  #failure: DirectoryError | undefined
  #fail: (error: DirectoryError) => void = () => undefined
  #late: ReturnType<typeof setTimeout>
  #isSecure = false

  private constructor(wire: Wire, settings: Settings) {
    this.#settings = settings
    this.#wire = wire
    this.#late = this.#within(settings.connectTime)
    this.#hear(wire)
  }

  /**
   * Connects to a server, whose certificate has to name its host.
   *
   * @param authorities that are trusted to vouch for it, PEM
   * @throws DirectoryError
   */
  static async open(server: DirectoryServer, authorities: readonly string[], settings: Settings) {
    const { host, port, startTls } = server
    const socket = connectTcp({ host, port })
    const connection = new DirectoryConnection(socket, settings)
    try {
      await connection.#when((done) => socket.on('connect', done))
      if (startTls) await connection.#startTls()
      await connection.#secure(server, socket, authorities)
    } catch (error) {
      connection.close()
      // Without TLS the server is of no use, whatever the reason.
      throw error instanceof DirectoryError ? new DirectoryError(error.message, true) : error
    }
    clearTimeout(connection.#late)
    connection.#late = connection.#within(settings.answerTime)
    return connection
  }

  /**
   * Whether a name has a password, and may log in with it. Neither is empty, which a directory would take for a client that has no name.
   *
   * @throws DirectoryError where the directory does not say
   */
  async bind(name: string, password: string): Promise<boolean> {
    if (name === '' || password === '') throw new DirectoryError('a name and a password are needed')
    const { code, diagnostic } = await this.#ask(bindRequest(name, password))
    if (ofServer.has(code)) throw refusal(code, diagnostic)
    return code === resultCodes.success
  }

  /** @throws DirectoryError also where there are more entries than are wanted */
  async search(search: Omit<Search, 'seconds'>): Promise<readonly Entry[]> {
    const seconds = Math.ceil(this.#settings.answerTime)
    const answer = await this.#ask(searchRequest({ ...search, seconds }), search.most)
    if (answer.code === resultCodes.noSuchObject) return []
    this.#accepted(answer)
    return answer.entries
  }

  close(): void {
    if (this.#failure === undefined && this.#isSecure) this.#wire.write(envelope(++this.#lastId, unbindRequest()))
    this.#end(new DirectoryError('the connection is closed'))
  }

  #accepted({ code, diagnostic }: { readonly code: number; readonly diagnostic: string }): void {
    if (code !== resultCodes.success) throw refusal(code, diagnostic)
  }

  async #startTls(): Promise<void> {
    this.#accepted(await this.#ask(startTlsRequest()))
  }

  async #secure({ host }: DirectoryServer, plain: ReturnType<typeof connectTcp>, ca: readonly string[]) {
    // Bytes received before TLS are not authenticated and must not be used (RFC 4511 4.14.1).
    if (this.#held > 0) throw new DirectoryError('bytes came before TLS')
    // SNI has no addresses (RFC 6066 3).
    const servername = ipBytes(host) === undefined ? { servername: host } : {}
    const socket: Wire = connectTls({ socket: plain, host, ...servername, ca: [...ca], rejectUnauthorized: true })
    this.#wire = socket
    this.#hear(socket)
    await this.#when((done) => socket.on('secureConnect', done))
    this.#isSecure = true
  }

  #hear(socket: Wire): void {
    socket.on('error', (error) => this.#end(new DirectoryError(printable(error.message.split('\n')[0] ?? ''), true)))
    socket.on('close', () => this.#end(new DirectoryError('the directory has closed the connection', true)))
    socket.on('data', (chunk) => {
      try {
        if (socket === this.#wire) this.#take(chunk)
      } catch (error) {
        this.#end(
          error instanceof DirectoryError ? error : new DirectoryError('the directory does not speak LDAP', true)
        )
      }
    })
  }

  /** Waits for something that may fail, as everything on the connection may. */
  #when(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      this.#fail = reject
      begin(resolve)
    })
  }

  async #ask(request: Uint8Array, most = 0) {
    let answer = { code: -1, diagnostic: '', entries: [] as Entry[] }
    await this.#when((done) => {
      const id = ++this.#lastId
      const resolve = (given: typeof answer) => {
        answer = given
        done()
      }
      this.#waiting = { id, entries: [], most, resolve }
      this.#wire.write(envelope(id, request))
    })
    return answer
  }

  #take(chunk: Uint8Array): void {
    this.#total += chunk.length
    const { answerBytes } = this.#settings
    if (this.#total > answerBytes) throw new DirectoryError(`the directory sends more than ${answerBytes} bytes`)
    this.#chunks.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#wanted) return
    let rest: Uint8Array = concatenated(this.#chunks)
    let length = messageLength(rest)
    // All that follows the answer to StartTLS came before TLS.
    while (length !== undefined && length <= rest.length && (this.#isSecure || this.#waiting !== undefined)) {
      this.#answered(readAnswer(rest.subarray(0, length)))
      rest = rest.subarray(length)
      length = messageLength(rest)
    }
    this.#chunks = [rest]
    this.#held = rest.length
    this.#wanted = length ?? 0
  }

  #answered(answer: Answer): void {
    const waiting = this.#waiting
    if (answer.kind === 'other') return
    if (waiting === undefined || answer.id !== waiting.id) throw new DirectoryError('an answer came to no question')
    if (answer.kind === 'entry') {
      waiting.entries.push(answer.entry)
      if (waiting.entries.length > waiting.most) throw new DirectoryError('the directory sends too many entries')
      return
    }
    this.#waiting = undefined
    const { code, diagnostic } = answer
    waiting.resolve({ code, diagnostic, entries: waiting.entries })
  }

  #within(seconds: number): ReturnType<typeof setTimeout> {
    const end = () => this.#end(new DirectoryError(`the directory does not answer within ${seconds} s`, true))
    return setTimeout(end, seconds * 1000)
  }

  #end(failure: DirectoryError): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    clearTimeout(this.#late)
    this.#wire.destroy()
    this.#fail(failure)
  }
}

/** Results that say that the server cannot answer now, whatever is asked. */
const ofServer: ReadonlySet<number> = new Set([resultCodes.busy, resultCodes.unavailable])

function refusal(code: number, diagnostic: string): DirectoryError {
  const words = `the directory answers with the result ${code} ${printable(diagnostic)}`.trim()
  return new DirectoryError(words, ofServer.has(code))
}

/** Text of a remote machine for the log: at most 160 characters, all printable ASCII. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 160)
