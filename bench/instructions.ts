import { constants } from 'node:crypto'
import { once } from 'node:events'
import { type ConnectionOptions, connect } from 'node:tls'
import { Connection } from '#test/host/raw.ts'
import type { Server } from '#test/host/server.ts'
import { instructionsFor } from './callgrind.ts'
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

/** The cost of a GET on a connection that is kept, and with a connection of its own. */
export async function* instructions(measurement: Measurement): AsyncGenerator<Figure> {
  const binary = { host: hostNamed('x86-64') }
  const kept = await instructionsFor(measurement, binary, [100, 1100], async (server, requests) => {
    const load = await Load.open(server, 1)
    await load.send(requests, get(chassis))
    load.close()
  })
  yield { name: 'instructions: GET of a Chassis, keep-alive', value: kept, unit: 'instructions' }
  for (const kind of kinds) {
    const value = await instructionsFor(measurement, binary, [5, 25], (server, connections) =>
      connectAgainAndAgain(server, kind, connections)
    )
    yield { name: `instructions: ${kind.name} and a GET`, value, unit: 'instructions' }
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
