import { constants } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import { isInstalled } from '../test/host/hosts.ts'
import { Connection } from '../test/host/raw.ts'
import { directory, type Server, start } from '../test/host/server.ts'
import type { Figure } from './figures.ts'
import { get, Load } from './load.ts'
import { chassis, hostNamed, type Measurement } from './measurement.ts'

/** How a connection is set up, and whether it resumes an earlier session. */
interface Kind {
  readonly name: string
  readonly options: ConnectionOptions
  readonly resumes: boolean
}

const tls13 = { minVersion: 'TLSv1.3' } as const
const kinds: readonly Kind[] = [
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

/**
 * User-space instructions of the x86-64 binary, counted by callgrind: the difference of two runs divided by the
 * requests between them, so that the start, the first login and the end do not count.
 */
export async function* instructions(measurement: Measurement): AsyncGenerator<Figure> {
  if (!isInstalled('valgrind')) throw new Error('valgrind: not here; install valgrind')
  const kept = await between(100, 1100, async (server, requests) => {
    const load = await Load.open(server, 1)
    await load.send(requests, get(chassis))
    load.close()
  })
  yield { name: 'instructions: GET of a Chassis, keep-alive', value: kept, unit: 'instructions' }
  for (const kind of kinds) {
    const value = await between(5, 25, (server, connections) => connectAgainAndAgain(server, kind, connections))
    yield { name: `instructions: ${kind.name} and a GET`, value, unit: 'instructions' }
  }

  async function between(few: number, many: number, work: (server: Server, times: number) => Promise<void>) {
    const cost = [await count(few, work), await count(many, work)] as const
    return (cost[1] - cost[0]) / (many - few)
  }

  async function count(times: number, work: (server: Server, times: number) => Promise<void>): Promise<number> {
    const binary = hostNamed('x86-64')
    const file = join(directory(measurement), 'callgrind.out')
    const valgrind = ['--tool=callgrind', `--callgrind-out-file=${file}`, '--log-file=/dev/null'] as const
    const server = await start(measurement, { ...binary, command: ['valgrind', ...valgrind, ...binary.command] })
    await work(server, times)
    await server.stop()
    const total = Number(/^(?:totals|summary): (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1])
    if (!total) throw new Error('callgrind counted nothing')
    return total
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
