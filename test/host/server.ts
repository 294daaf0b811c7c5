import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { Pool } from 'undici'
import type { Host } from './hosts.ts'
import { Process } from './process.ts'
import { Connection } from './raw.ts'

export type Headers = Readonly<Record<string, string>>

/** The first administrator's password in these tests. */
export const password = 'Tin-Whistle-7'

/** HTTP Basic credentials (RFC 7617). */
export function basic(user: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` }
}

export const admin = basic('admin', password)
export const anonymous = {}

export interface Response {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body, unpacked. */
  readonly text: string
  /** The same as bytes. */
  readonly bytes: Uint8Array
  /** The body as JSON; reading it fails without a body. */
  readonly json: Json
}

// biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like into a body.
export type Json = any

export interface Options {
  /** Settings, laid over those that keep a test quick. */
  readonly configuration?: Readonly<Record<string, unknown>>
  /** A port that the configuration names, in place of a free one that a flag asks for. */
  readonly port?: number
  /** A data directory that already exists; it then outlives the server. */
  readonly data?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly args?: readonly string[]
}

/** The owner of a server, which is a test as a rule. */
export interface Scope {
  /** Has something done when it ends; what was named last comes first. */
  teardown(end: () => unknown): void
}

/** A service that accepts connections. It ends with the test that started it. */
export class Server {
  readonly data: string
  readonly port: number
  readonly process: Process
  readonly #pool: Pool

  constructor(data: string, port: number, process: Process) {
    this.data = data
    this.port = port
    this.process = process
    this.#pool = new Pool(`https://127.0.0.1:${port}`, { connect: { rejectUnauthorized: false }, connections: 8 })
  }

  /** A request as it stands: the path is sent as given, a body that is no text is sent as JSON. */
  async request(method: string, path: string, headers: Headers = admin, body?: unknown): Promise<Response> {
    const plain = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const answer = await this.#pool.request({
      method: method as 'GET',
      path,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      body: plain ? (body ?? null) : JSON.stringify(body)
    })
    const sent = Buffer.from(await answer.body.arrayBuffer())
    const packed = answer.headers['content-encoding'] === 'gzip' && sent.length > 0
    const bytes = packed ? gunzipSync(sent) : sent
    const text = bytes.toString()
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      bytes,
      get json() {
        return JSON.parse(text)
      }
    }
  }

  get(path: string, headers?: Headers): Promise<Response> {
    return this.request('GET', path, headers)
  }

  patch(path: string, body: unknown, headers?: Headers): Promise<Response> {
    return this.request('PATCH', path, headers, body)
  }

  post(path: string, body: unknown, headers?: Headers): Promise<Response> {
    return this.request('POST', path, headers, body)
  }

  delete(path: string, headers?: Headers): Promise<Response> {
    return this.request('DELETE', path, headers)
  }

  /** Logs in and gives the header that the session's requests carry, and the session's URI. */
  async login(user = 'admin', secret = password): Promise<{ token: { 'x-auth-token': string }; location: string }> {
    const { status, headers, text } = await this.post(
      '/redfish/v1/SessionService/Sessions',
      { UserName: user, Password: secret },
      anonymous
    )
    if (status !== 201) throw new Error(`no login: ${status} ${text}`)
    return { token: { 'x-auth-token': String(headers['x-auth-token']) }, location: String(headers.location) }
  }

  /** Asks until the answer is as expected, for a minute at least; a service that restarts is waited for. */
  async until(ask: () => Promise<Response>, expected: (answer: Response) => boolean): Promise<Response> {
    let last: unknown
    for (let tries = 0; tries < 2400; tries++) {
      try {
        const answer = await ask()
        if (expected(answer)) return answer
        last = answer.text
      } catch (error) {
        last = error
      }
      await pause(25)
    }
    throw new Error(`never as expected; at last ${last}`)
  }

  /** A connection for bytes. */
  connect(options?: ConnectionOptions): Promise<Connection> {
    return Connection.open(this.port, options)
  }

  /** The same service at another port of it. */
  at(port: number): Server {
    return new Server(this.data, port, this.process)
  }

  /** SIGTERM; the exit status. */
  async stop(): Promise<number | null> {
    const { status } = await this.process.kill('SIGTERM')
    await this.#pool.destroy()
    return status
  }

  /** SIGKILL: the process ends at once. */
  async kill(): Promise<void> {
    await this.process.kill('SIGKILL')
    await this.#pool.destroy()
  }
}

/** Runs the service until the test ends. */
export async function start(t: Scope, host: Host, options: Options = {}): Promise<Server> {
  const data = options.data ?? directory(t)
  const files = directory(t)
  writeFileSync(
    join(files, 'configuration.json'),
    JSON.stringify({ ...quick, ...options.configuration, port: options.port })
  )
  writeFileSync(join(files, 'board.json'), JSON.stringify(quickBoard()))
  const process = new Process(
    host,
    [
      ...(options.port === undefined ? ['--port', '0'] : []),
      ...['--address', '127.0.0.1', '--data', data],
      ...['--board', join(files, 'board.json'), '--config', join(files, 'configuration.json')],
      ...(options.args ?? [])
    ],
    { MINNOW_ADMIN_PASSWORD: password, ...options.env }
  )
  t.teardown(() => process.kill('SIGKILL'))
  const line = await process.ready()
  const port = Number(/^minnow: listening on https:\/\/127\.0\.0\.1:(\d+)\/redfish\/v1\/$/.exec(line)?.[1])
  if (!port) throw new Error(`not the line that was expected: ${line}`)
  return new Server(data, port, process)
}

/** A new directory that is gone when the test ends. */
export function directory(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'minnow-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A second directory with the same content. */
export function copyOf(t: Scope, data: string): string {
  const path = directory(t)
  cpSync(data, path, { recursive: true })
  return path
}

const quick = { password: { iterations: 1000 } }

/** The simulated machine with transitions that take 100 ms. */
function quickBoard(): Json {
  const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  const times = { onTime: 100, offTime: 100, gracefulTime: 100, resetTime: 100 }
  for (const system of Object.values<Json>(board.systems)) system.power = { ...system.power, ...times }
  return board
}
