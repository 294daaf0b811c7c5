/** The server of fixtures/https.ts as a child process, and raw TLS connections to it. */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import type { Command } from './program.ts'

const made = () =>
  selfSigned({
    commonName: 'minnow',
    altNames: { dns: ['localhost'], ip: ['127.0.0.1'] },
    now: new Date(),
    random: (size) => randomBytes(size)
  })

/** Two certificates for one key would need a request; two pairs show the same. */
export const identity = await made()
export const otherIdentity = await made()

export type Line = Record<string, unknown>

export interface Server {
  port: number
  pid: number
  /** Waits for a line with this property (of this value), and takes it; lines that were waited for do not come again. */
  line(property: string, value?: unknown): Promise<Line>
  /** Ends when the process does. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

/** Starts `command` with options of https.createServer; it ends with the test. */
export async function serve(t: Test, command: Command, options: Line = {}, port = 0): Promise<Server> {
  const settings = JSON.stringify({ ...identity, next: otherIdentity, ...options })
  const [program, ...words] = command
  const child = spawn(program, words, {
    env: { ...process.env, SERVER_OPTIONS: settings, SERVER_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines: Line[] = []
  const arrivals = new EventEmitter().setMaxListeners(0)
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line))
    arrivals.emit('line')
  })
  const ended = once(child, 'exit').then(([status]) => status as number | null)
  const line = async (property: string, value?: unknown): Promise<Line> => {
    for (;;) {
      const index = lines.findIndex((line) => property in line && (value === undefined || line[property] === value))
      if (index >= 0) return lines.splice(index, 1)[0]!
      await once(arrivals, 'line')
    }
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(stop)
  if (port !== 0) return { port, pid: child.pid!, line, ended, stop }
  const { listening } = await line('listening')
  return { port: (listening as { port: number }).port, pid: child.pid!, line, ended, stop }
}

export type Trust = ConnectionOptions

/** A TLS connection, when the handshake is done. */
export async function open(server: Server, options: Trust = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** All that arrives until the other side closes, however it does. */
export function rest(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    socket.on('close', () => resolve(text))
  })
}

/** Writes `text` and gives all that comes until the server closes. */
export async function say(server: Server, text: string | Uint8Array, options?: Trust): Promise<string> {
  const socket = await open(server, options)
  const answer = rest(socket)
  socket.write(text)
  return answer
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Reads answers off a connection one by one, by Content-Length or the chunked coding. */
export class Reader {
  #text = ''
  readonly #socket: TLSSocket

  constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.on('data', (data) => {
      this.#text += data.toString('latin1')
      socket.emit('more')
    })
  }

  /** @param hasBody false for an answer to HEAD */
  async next(hasBody = true): Promise<Answer> {
    const head = await this.#through('\r\n\r\n')
    const [line, ...fields] = head.trimEnd().split('\r\n')
    const headers = Object.fromEntries(
      fields.map((field) => field.split(/: (.*)/s, 2)).map(([k, v]) => [k!.toLowerCase(), v!])
    )
    const status = Number(line!.split(' ')[1])
    const empty = !hasBody || status < 200 || status === 204 || status === 304
    return { status, headers, body: empty ? '' : await this.#body(headers) }
  }

  /** Events that came and were not expected. */
  get left(): string {
    return this.#text
  }

  async #body(headers: Record<string, string>): Promise<string> {
    if (headers['transfer-encoding'] !== 'chunked') return this.#take(Number(headers['content-length']))
    for (let body = ''; ; ) {
      const size = Number.parseInt(await this.#through('\r\n'), 16)
      body += (await this.#take(size + 2)).slice(0, size)
      if (size === 0) return body
    }
  }

  async #through(end: string): Promise<string> {
    while (!this.#text.includes(end)) await once(this.#socket, 'more')
    return this.#take(this.#text.indexOf(end) + end.length)
  }

  async #take(size: number): Promise<string> {
    while (this.#text.length < size) await once(this.#socket, 'more')
    const taken = this.#text.slice(0, size)
    this.#text = this.#text.slice(size)
    return taken
  }
}

/** A request with a Host header. */
export const request = (line: string, fields = '', body = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n${body}`
