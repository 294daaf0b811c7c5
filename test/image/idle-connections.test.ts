// own process: it boots a board.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { head } from '#test/host/raw.ts'
import { password } from '#test/host/server.ts'
import { Board, build, description, missingImage } from './board.ts'

const connections = 260
/** Twice as long as the board waits for a sign of life of its service. */
const seconds = 60

t.setTimeout(1_700_000)

needing('a board with many idle connections', missingImage, async (t) => {
  const image = build(t, { password })
  const board = await Board.start(t, image)
  await board.up()
  const { token } = await board.service.login()
  const request = head('GET', '/redfish/v1/Systems/1/', `X-Auth-Token: ${token['x-auth-token']}\r\n`)
  const client = await board.service.connect()
  client.write(request)
  t.equal((await client.response())?.status, 200)
  const from = board.process.stdout.length
  const end = performance.now() + seconds * 1000
  const open = new Set<Socket>()
  const over = () => performance.now() > end

  /** One client that is idle in one of three ways, and comes back when it is closed. */
  async function idle(number: number): Promise<void> {
    while (!over()) {
      const socket = begin(board.ports.get(description.service.port) ?? 0, number % 3)
      open.add(socket)
      await once(socket, 'close').catch(() => undefined)
      open.delete(socket)
      if (!over()) await pause(1000)
    }
  }

  const idling = Promise.all(Array.from({ length: connections }, (_, number) => idle(number)))
  const times: number[] = []
  while (!over()) {
    const asked = performance.now()
    client.write(request)
    const answer = await client.response()
    times.push(performance.now() - asked)
    if (answer?.status !== 200) {
      t.fail(`${answer?.status ?? 'the end of the connection'} for a client with a token`)
      break
    }
    await pause(500)
  }
  const held = open.size
  for (const line of board.process.stdout.slice(from)) t.comment(line)
  for (const socket of open) socket.destroy()
  await idling
  times.sort((one, other) => one - other)
  t.comment(`${held} idle connections; ${times.length} answers, the slowest after ${Math.round(times.at(-1) ?? 0)} ms`)
  t.ok(times.length > 5, `a client with a token was served ${times.length} times`)
  const said = board.process.stdout.slice(from)
  t.strictSame(
    said.filter((line) => /does not answer|the service ended|U-Boot SPL/.test(line)),
    [],
    'the board was not reset, and the service did not end'
  )
  await board.cut()
})

/** @param way 0: nothing is said; 1: TLS, and no request; 2: a request without credentials, and nothing more */
function begin(port: number, way: number): Socket {
  const socket =
    way === 0
      ? connect(port, '127.0.0.1')
      : connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
          if (way === 2) socket.write(head('GET', '/redfish', ''))
        })
  socket.on('error', () => socket.destroy())
  socket.resume()
  return socket
}
