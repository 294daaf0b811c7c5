import { constants } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectionOptions, connect } from 'node:tls'
import { visitWithOpenssl } from '#test/embedded/openssl.ts'
import { Connection, head } from '#test/host/raw.ts'
import { admin, type Json, type Server } from '#test/host/server.ts'
import { instructionsFor, type Work } from './counting.ts'
import type { Figure } from './figures.ts'
import { get, Load } from './load.ts'
import { chassis, hostNamed, type Measurement, startAsShipped } from './measurement.ts'

/** How a connection is set up, and whether it resumes an earlier session. */
interface Kind {
  readonly name: string
  readonly options: ConnectionOptions
  readonly resumes: boolean
}

const tls13 = { minVersion: 'TLSv1.3' } as const
const kinds: readonly Kind[] = [
  { name: 'full TLS 1.3 X25519 handshake', options: { ...tls13, ecdhCurve: 'X25519' }, resumes: false },
  { name: 'full TLS 1.3 P-256 handshake', options: { ...tls13, ecdhCurve: 'P-256' }, resumes: false },
  { name: 'TLS 1.3 resumption', options: tls13, resumes: true },
  {
    name: 'TLS 1.3 resumption, client allows psk_ke',
    // The client offers psk_ke beside psk_dhe_ke; the server chooses (RFC 8446 4.2.9).
    options: { ...tls13, secureOptions: constants.SSL_OP_ALLOW_NO_DHE_KEX },
    resumes: true
  },
  { name: 'TLS 1.2 resumption', options: { maxVersion: 'TLSv1.2' }, resumes: true }
]

/** Requests on a connection that is kept, and with a connection of its own. */
export function works(uris: readonly string[]): Work[] {
  return [
    { name: 'GET of a Chassis again, Basic', times: [100, 1100], perform: again(get(chassis)) },
    { name: 'GET of a Chassis again, token', times: [100, 1100], perform: withToken },
    { name: 'GET of a Chassis again, answered 304', times: [100, 1100], perform: unchanged },
    { name: 'GET in a crawl, first round', times: [0, 1], requests: uris.length, perform: crawl(uris) },
    { name: 'GET in a crawl, second round', times: [1, 2], requests: uris.length, perform: crawl(uris) },
    { name: 'PATCH of an AssetTag', times: [10, 110], perform: changes },
    {
      name: 'one second of nothing to do',
      // A service that stops within its first half minute does not copy the store, 2.9 million instructions.
      times: [60, 120],
      polls: true,
      perform: (_, seconds) => pause(seconds * 1000)
    },
    { name: 'full TLS 1.3 X25519MLKEM768 handshake and a GET', times: [5, 25], perform: connectWithOpenssl },
    ...kinds.map((kind) => ({
      name: `${kind.name} and a GET`,
      times: [5, 25] as const,
      perform: (server: Server, times: number) => connectAgainAndAgain(server, kind, times)
    }))
  ]
}

/** Their cost on both processors. */
export async function* instructions(measurement: Measurement): AsyncGenerator<Figure> {
  const uris = await resources(measurement)
  yield { name: 'resources of a crawl', value: uris.length, unit: 'resources' }
  for (const processor of ['x86-64', 'ARMv7'] as const) {
    for (const work of works(uris)) {
      const value = await instructionsFor(measurement, { processor }, work)
      yield { name: `instructions: ${work.name}, ${processor}`, value, unit: 'instructions' }
    }
  }
}

/** Everything but schemas, registries and sessions that links of a server as it is shipped lead to. */
export async function resources(measurement: Measurement): Promise<string[]> {
  const server = await startAsShipped(measurement, hostNamed('x86-64'))
  const found = new Set(['/redfish/v1/'])
  for (const uri of found) {
    const { text } = await server.get(uri)
    if (!text.startsWith('{')) continue
    JSON.parse(text, (name, value: Json) => {
      if (
        name === '@odata.id' &&
        /^\/redfish\/v1\/(?!JsonSchemas|Registries|SessionService\/Sessions\/.)[^#]*\/$/.test(value)
      )
        found.add(value)
      return value
    })
  }
  await server.stop()
  return [...found]
}

function again(bytes: string, status = 200) {
  return async (server: Server, times: number) => {
    const load = await Load.open(server, 1)
    await load.send(times, bytes, status)
    load.close()
  }
}

async function withToken(server: Server, times: number): Promise<void> {
  const { token } = await server.login()
  await again(head('GET', chassis, `X-Auth-Token: ${token['x-auth-token']}\r\n`))(server, times)
}

async function unchanged(server: Server, times: number): Promise<void> {
  const { headers } = await server.get(chassis)
  const fields = `Authorization: ${admin.authorization}\r\nIf-None-Match: ${headers.etag}\r\n`
  await again(head('GET', chassis, fields), 304)(server, times)
}

/** One GET of each resource in each round. Each round has its own session, so that no answer is repeated. */
function crawl(uris: readonly string[]) {
  return async (server: Server, rounds: number) => {
    const sessions = [await server.login(), await server.login()]
    const load = await Load.open(server, 1)
    await load.send(1, get('/redfish/v1/Systems/'))
    for (const { token } of sessions.slice(0, rounds)) {
      const field = `X-Auth-Token: ${token['x-auth-token']}\r\n`
      for (const uri of uris) await load.send(1, head('GET', uri, field))
    }
    load.close()
  }
}

async function changes(server: Server, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { status, text } = await server.patch('/redfish/v1/Systems/1/', { AssetTag: `rack ${n}` })
    if (status !== 200) throw new Error(`answered ${status}: ${text}`)
  }
}

async function connectAgainAndAgain(server: Server, kind: Kind, connections: number): Promise<void> {
  let session: Buffer | undefined
  if (kind.resumes) session = (await exchange(server, kind.options)).session
  for (let n = 0; n < connections; n++) {
    const next = await exchange(server, session ? { ...kind.options, session } : kind.options)
    if (next.reused !== kind.resumes) throw new Error(`${kind.name}: ${kind.resumes ? 'not resumed' : 'resumed'}`)
    if (kind.resumes) session = next.session ?? session
  }
}

/** The same with a client that has the group: Node.js 20 has not. */
async function connectWithOpenssl(server: Server, connections: number): Promise<void> {
  const request = head('GET', chassis, `Authorization: ${admin.authorization}\r\nConnection: close\r\n`)
  for (let n = 0; n < connections; n++) {
    const { group, served } = await visitWithOpenssl(server.port, [], request)
    if (group !== 'X25519MLKEM768' || !served) throw new Error(`${group}, ${served ? '' : 'not '}answered`)
  }
}

/** One GET on a connection of its own. */
async function exchange(server: Server, options: ConnectionOptions) {
  const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  let session: Buffer | undefined
  socket.on('session', (ticket: Buffer) => {
    session = ticket
  })
  await once(socket, 'secureConnect')
  const connection = new Connection(socket)
  connection.write(get(chassis))
  const answer = await connection.response()
  if (answer?.status !== 200) throw new Error(`answered ${answer?.status}`)
  const result = { session, reused: socket.isSessionReused() }
  connection.close()
  return result
}
