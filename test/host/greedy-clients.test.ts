import type { ConnectionOptions } from 'node:tls'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { type Connection, head, type RawResponse } from './raw.ts'
import { anonymous, basic, type Options, password, type Server, start } from './server.ts'

const chassis = '/redfish/v1/Chassis/1/'
const accounts = '/redfish/v1/AccountService/Accounts'
const sessions = '/redfish/v1/SessionService/Sessions'
const reader = basic('reader', 'Green-Door-4')
const megabyte = 2 ** 20
const json = 'Content-Type: application/json\r\n'

/** A service with an account of the role ReadOnly. */
async function withReader(t: Test, host: Host, options?: Options): Promise<Server> {
  const server = await start(t, host, options)
  const account = { UserName: 'reader', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
  t.equal((await server.post(accounts, account)).status, 201)
  t.equal((await server.get(chassis, reader)).status, 200)
  return server
}

/** Connections that have sent what is given, from several addresses; they are closed when the test ends. */
async function clients(t: Test, server: Server, count: number, bytes: string): Promise<Connection[]> {
  const all = []
  for (let n = 0; n < count; n++) {
    const client = await server.connect({ localAddress: `127.0.2.${1 + (n % 4)}` } as ConnectionOptions)
    t.teardown(() => client.close())
    client.write(bytes)
    all.push(client)
  }
  return all
}

/** The head of a change of the own password, which is all that the role may change, and part of its body. */
function unfinished(fields: string, body: string): string {
  return head('PATCH', `${accounts}/reader/`, `Authorization: ${reader.authorization}\r\n${json}${fields}`) + body
}

/** All others are served: reads, changes with a body, logins. */
async function servesOthers(t: Test, server: Server): Promise<void> {
  t.equal((await server.get(chassis)).status, 200, 'a read')
  t.equal((await server.patch(chassis, { LocationIndicatorActive: true })).status, 200, 'a change')
  const login = await server.post(sessions, { UserName: 'admin', Password: password }, anonymous)
  t.equal(login.status, 201, 'a login')
  t.equal((await server.delete(String(login.headers.location))).status, 200)
}

/** Settles when so many of the clients have got an answer, with these. */
function answersOf(all: readonly Connection[], count: number): Promise<RawResponse[]> {
  const answers: RawResponse[] = []
  return new Promise((resolve) => {
    for (const client of all) {
      void client.response().then((answer) => {
        if (answer) answers.push(answer)
        if (answers.length === count) resolve(answers)
      })
    }
  })
}

/** A body of so many bytes in chunks of one (RFC 9112, 7.1), without its end. */
const inSmallChunks = (bytes: number) => '1\r\nx\r\n'.repeat(bytes)

onBothHosts(async (t, host) => {
  t.test('unfinished bodies of one user take that user’s share, and others are served', async (t) => {
    const server = await withReader(t, host)
    const body = `{"Password":"${'x'.repeat(megabyte - 20)}`
    const all = await clients(t, server, 20, unfinished(`Content-Length: ${megabyte}\r\n`, body))
    const refused = await answersOf(all, 18)
    for (const { status, headers } of refused) {
      t.equal(status, 503)
      t.ok(Number(headers['retry-after']) > 0)
    }
    await servesOthers(t, server)
    for (const each of all) each.close()
    await server.until(
      () => server.patch(`${accounts}/reader/`, { Password: 'Green-Door-5' }, reader),
      ({ status }) => status === 200
    )
  })

  t.test('a hundred of them, and bodies in chunks of one byte, end nothing', async (t) => {
    const server = await withReader(t, host)
    const part = `{"Password":"${'x'.repeat(100_000)}`
    await clients(t, server, 40, unfinished(`Content-Length: ${megabyte}\r\n`, part))
    await clients(t, server, 10, unfinished('Transfer-Encoding: chunked\r\n', inSmallChunks(100_000)))
    await servesOthers(t, server)
    await clients(t, server, 50, unfinished(`Content-Length: ${megabyte}\r\n`, part))
    await servesOthers(t, server)
  })

  t.test('requests without memory in the engine are refused, and the service continues', async (t) => {
    // No other limit is in the way of the heap's.
    const limits = { bodies: 1e9, bodiesPerUser: 1e9 }
    const server = await withReader(t, host, { configuration: { limits }, env: { MINNOW_HEAP_MIB: '16' } })
    const part = `{"Password":"${'x'.repeat(megabyte - 20)}`
    const all = await clients(t, server, 20, unfinished(`Content-Length: ${megabyte}\r\n`, part))
    if (host.name !== 'Node.js') for (const { status } of await answersOf(all, 10)) t.equal(status, 503)
    await servesOthers(t, server)
    for (const each of all) each.write('xxxxxx"}')
    for (const { status } of await answersOf(all, 1)) t.not(status, 200, 'a password of a megabyte is refused')
    await servesOthers(t, server)
    t.strictSame(
      [...server.process.stderr].filter((line) => /"origin"/.test(line)),
      [],
      'nothing was left uncaught'
    )
  })

  t.test('unfinished bodies without a login are small, and logins are served', async (t) => {
    const server = await start(t, host)
    const login = (fields: string) => head('POST', sessions, `${json}${fields}`)
    const large = await clients(t, server, 1, login(`Content-Length: ${megabyte}\r\n`))
    t.equal((await answersOf(large, 1))[0]?.status, 413)
    await clients(t, server, 100, `${login('Content-Length: 4096\r\n')}{"UserName":"${'x'.repeat(4000)}`)
    await servesOthers(t, server)
    await clients(t, server, 100, login('Transfer-Encoding: chunked\r\n') + inSmallChunks(4000))
    await servesOthers(t, server)
  })

  t.test('the oldest unread answer is cut when all of them exceed the limit', async (t) => {
    const configuration = { log: 'debug', limits: { unreadAnswers: 1000 } }
    const server = await start(t, host, { configuration })
    // Anybody may read it, and unpacked it is large; the kernel takes some of these answers, and the service has one.
    const request = head('GET', '/redfish/v1/openapi.yaml', 'Accept-Encoding: identity\r\n')
    const [oldest, newest] = await clients(t, server, 2, '')
    for (const each of [oldest!, newest!]) {
      each.socket.pause()
      each.write(request.repeat(24))
      await server.get(chassis)
    }
    await server.until(
      () => server.get(chassis),
      () =>
        server.process.stderr.some((line) => /a connection was closed: its client did not read the answer/.test(line))
    )
    await servesOthers(t, server)
    oldest?.socket.resume()
    const answers = (await oldest?.responses()) ?? []
    t.ok(answers.length < 24, `${answers.length} of 24 answers`)
    newest?.socket.resume()
    t.equal((await newest?.response())?.status, 200, 'the other one is still there')
  })
})
