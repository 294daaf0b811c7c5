import type { ConnectionOptions } from 'node:tls'
import type { Test } from 'tap'
import { Pool } from 'undici'
import { onBothHosts } from './every-host.ts'
import { type Connection, head } from './raw.ts'
import { admin, anonymous, password, type Server, start } from './server.ts'

const sessions = '/redfish/v1/SessionService/Sessions/'
const authorization = `Authorization: ${admin.authorization}\r\n`
const offer = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`
const version = 'Sec-WebSocket-Version: 13\r\n'

/** A kind of place that clients hold for as long as they are connected, and the request that takes one. */
const places = {
  streams: { most: 10, taken: 200, request: head('GET', '/redfish/v1/EventService/SSE', authorization) },
  consoles: {
    most: 4,
    taken: 101,
    request: head('GET', '/redfish/v1/Systems/1/SerialConsole', `${authorization}${offer}${version}`)
  },
  uploads: {
    most: 1,
    taken: 100,
    request: `${head('POST', '/redfish/v1/UpdateService/update', `${authorization}Expect: 100-continue\r\nContent-Length: 1000\r\n`)}`
  }
}

type Place = (typeof places)[keyof typeof places]

/** Connections that are open, and have said nothing. */
async function connections(t: Test, server: Server, count: number): Promise<Connection[]> {
  const from = (n: number) => ({ localAddress: `127.0.3.${1 + (n % 8)}` }) as ConnectionOptions
  const all = await Promise.all(Array.from({ length: count }, (_, n) => server.connect(from(n))))
  for (const each of all) t.teardown(() => each.close())
  return all
}

/** The clients that are let in of as many as ask at once. All others are told to come back. */
async function letIn(t: Test, server: Server, { taken, request }: Place, count: number): Promise<Connection[]> {
  const all = await connections(t, server, count)
  for (const each of all) each.write(request)
  const answers = await Promise.all(all.map((each) => each.response()))
  const refused = answers.filter((answer) => answer?.status !== taken)
  t.notOk(refused.find((answer) => answer?.status !== 503 || answer.headers['retry-after'] === undefined))
  await leave(all.filter((_, n) => answers[n]?.status !== taken))
  return all.filter((_, n) => answers[n]?.status === taken)
}

/** All places are free, or will be: they are taken one after another, and then there are no more. */
async function usesAll(t: Test, server: Server, place: Place): Promise<void> {
  const clients: Connection[] = []
  for (let tries = 0; clients.length < place.most && tries < 2000; tries += 1) {
    clients.push(...(await letIn(t, server, place, 1)))
  }
  t.equal(clients.length, place.most)
  t.equal((await letIn(t, server, place, 3)).length, 0, 'and no more')
  await leave(clients)
}

async function leave(clients: readonly Connection[]): Promise<void> {
  for (const each of clients) each.close()
  await Promise.all(clients.map(({ closed }) => closed))
}

onBothHosts(async (t, host) => {
  for (const [name, place] of Object.entries(places)) {
    t.test(`simultaneous requests for ${name} fill the limit exactly`, async (t) => {
      // No password is known yet: all of them wait for the same check.
      const server = await start(t, host)
      const clients = await letIn(t, server, place, 10 * place.most)
      t.equal(clients.length, place.most)
      await leave(clients)
      await usesAll(t, server, place)
    })

    t.test(`a client that disconnects before it gets one frees its place among the ${name}`, async (t) => {
      const server = await start(t, host, { configuration: { password: { iterations: 100_000 / host.slowness } } })
      const clients = await connections(t, server, 2 * place.most)
      for (const each of clients) each.write(place.request)
      await leave(clients)
      await usesAll(t, server, place)
    })

    t.test(`a client that pipelines a request for ${name} and disconnects frees its place`, async (t) => {
      // A host that reads no request ahead learns from what it writes that the client has gone.
      const server = await start(t, host, { configuration: { events: { streamKeepAlive: 0.1 } } })
      const [client] = (await connections(t, server, 1)) as [Connection]
      client.write(places.streams.request + place.request.repeat(place.most))
      t.equal((await client.response())?.status, 200)
      await leave([client])
      await usesAll(t, server, place)
    })
  }

  t.test('however many log in at once, there are no more sessions than may be', async (t) => {
    const server = await start(t, host)
    const pool = new Pool(`https://127.0.0.1:${server.port}`, {
      connect: { rejectUnauthorized: false },
      connections: 40
    })
    t.teardown(() => pool.destroy())
    const login = { UserName: 'admin', Password: password }
    const burst = async () => {
      const answers = await Promise.all(
        Array.from({ length: 320 }, async () => {
          const { statusCode, headers, body } = await pool.request({
            method: 'POST',
            path: sessions,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(login)
          })
          await body.dump()
          return { status: statusCode, location: String(headers.location) }
        })
      )
      const made = answers.filter(({ status }) => status === 201)
      t.ok(made.length <= 32, `${made.length} are logged in`)
      t.same([...new Set(answers.map(({ status }) => status))].sort(), [201, 503])
      t.equal((await server.get(sessions)).json['Members@odata.count'], made.length)
      return made
    }
    for (const { location } of await burst()) t.equal((await server.delete(location)).status, 200)
    for (let count = 0; count < 32; count += 1) t.equal((await server.post(sessions, login, anonymous)).status, 201)
    t.equal((await server.post(sessions, login, anonymous)).status, 503, 'and no more')
  })

  t.test('however many connect at once, no more are connected than may be', async (t) => {
    const most = 20
    const server = await start(t, host, { configuration: { limits: { connections: most } } })
    const opening = Array.from({ length: 10 * most }, async (_, n) => {
      const from = { localAddress: `127.0.3.${1 + (n % 8)}` } as ConnectionOptions
      const client = await server.connect(from).catch(() => undefined)
      if (client === undefined) return []
      t.teardown(() => client.close())
      client.write(head('GET', '/redfish/v1/Chassis/1/', authorization))
      return (await client.response())?.status === 200 && !client.socket.destroyed ? [client] : []
    })
    const clients = (await Promise.all(opening)).flat()
    const open = clients.filter(({ socket }) => !socket.destroyed)
    t.ok(open.length <= most, `${open.length} are connected`)
    await leave(clients)
    const again: Connection[] = []
    while (again.length < most) {
      const client = await server.connect({ localAddress: '127.0.3.9' } as ConnectionOptions).catch(() => undefined)
      client?.write(head('GET', '/redfish/v1/Chassis/1/', authorization))
      if ((await client?.response())?.status === 200) again.push(client!)
    }
    t.notOk(again.some(({ socket }) => socket.destroyed))
    await leave(again)
  })
})
