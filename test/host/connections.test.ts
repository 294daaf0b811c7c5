import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { type Connection, closed, head } from './raw.ts'
import { admin, type Server, start } from './server.ts'

const limits = { connections: 8, connectionsPerAddress: 4 }
const chassis = '/redfish/v1/Chassis/1/'
const authorized = head('GET', chassis, `Authorization: ${admin.authorization}\r\n`)
const anonymous = head('GET', '/redfish/v1/', '')

/** The addresses of clients that are not the machine itself. */
const client = (number: number) => ({ localAddress: `127.0.1.${number}` }) as ConnectionOptions

/** A connection on which nothing is said, and when it is closed. */
async function idle(
  t: Test,
  { port }: Server,
  from: ConnectionOptions
): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connect({ port, host: '127.0.0.1', ...(from as object) })
  t.teardown(() => socket.destroy())
  const end = closed(socket)
  await once(socket, 'connect')
  return { socket, closed: end }
}

async function served(t: Test, server: Server, from: ConnectionOptions, bytes: string): Promise<Connection> {
  const connection = await server.connect(from)
  t.teardown(() => connection.close())
  connection.write(bytes)
  t.equal((await connection.response())?.status, 200)
  return connection
}

async function isServed(t: Test, connection: Connection, name = 'it is served'): Promise<void> {
  connection.write(authorized)
  t.equal((await connection.response())?.status, 200, name)
}

/** The question of the board's init process; whether the end of the connection is the answer, and not a reset. */
async function isAlive({ port }: Server): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('alive?\r\n'))
  socket.resume()
  const alive = await Promise.race([
    once(socket, 'end').then(() => true),
    once(socket, 'close').then(() => false)
  ]).catch(() => false)
  socket.destroy()
  return alive
}

onBothHosts(async (t, host) => {
  t.test('at the limit a new connection takes the place of the oldest one that has finished no request', async (t) => {
    const server = await start(t, host, { configuration: { limits } })
    const first = await idle(t, server, client(1))
    const kept = await served(t, server, client(2), authorized)
    const answered = await served(t, server, client(3), anonymous)
    const second = await idle(t, server, client(4))
    for (const number of [5, 6, 7, 8]) await idle(t, server, client(number))
    await served(t, server, client(9), authorized)
    await first.closed
    await served(t, server, client(10), authorized)
    await second.closed
    for (const number of [11, 12, 13, 14]) await served(t, server, client(number), authorized)
    await served(t, server, client(15), authorized)
    await answered.closed
    await isServed(t, kept, 'the one with credentials is still there')
  })

  t.test('a client that has its share takes no place but its own', async (t) => {
    const server = await start(t, host, { configuration: { limits } })
    const other = await idle(t, server, client(1))
    const own = []
    for (let n = 0; n < limits.connectionsPerAddress; n++) own.push(await idle(t, server, client(2)))
    const newest = await served(t, server, client(2), authorized)
    await own[0]?.closed
    for (let n = 0; n < 50; n++) await idle(t, server, client(2))
    t.notOk(other.socket.closed, 'the other client is still there')
    await isServed(t, newest)
  })

  t.test('if all have credentials a new connection is closed, except the probe on the machine itself', async (t) => {
    const server = await start(t, host, { configuration: { limits } })
    const all = []
    for (let n = 0; n < limits.connections; n++) all.push(await served(t, server, client(1 + (n % 4)), authorized))
    await (await idle(t, server, client(5))).closed
    t.ok(await isAlive(server), 'the probe is answered by an end, not by a reset')
    for (const each of all) await isServed(t, each)
  })

  t.test('260 idle connections do not lock out others', async (t) => {
    const server = await start(t, host)
    const token = await served(t, server, client(1), authorized)
    for (let n = 0; n < 260; n++) await idle(t, server, client(2 + (n % 5)))
    await isServed(t, token)
    for (let n = 0; n < 260; n++) {
      await idle(t, server, client(2 + (n % 5)))
      if (n % 20 === 0) {
        t.ok(await isAlive(server))
        await isServed(t, token, 'a client with credentials')
        ;(await served(t, server, client(7), authorized)).close()
      }
    }
  })
})
