import type { Test } from 'tap'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { type Connection, head } from './raw.ts'
import { admin, basic, type Headers, type Server, start } from './server.ts'
import { openTerminal, console as serialConsole } from './terminal.ts'

const accounts = '/redfish/v1/AccountService/Accounts'
const ann = `${accounts}/ann/`
const password = 'Green-Door-4'
const offer = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`

/** A masked frame of a client with a short text (RFC 6455 5.2); its mask changes nothing. */
const typed = (text: string) => Buffer.from([0x82, 0x80 | text.length, 0, 0, 0, 0, ...Buffer.from(text)])

/** The goodbye to a client that may not go on (RFC 6455 7.4.1: 1008). */
const goodbye = '880203f0'

/** A service with an operator. */
async function withOperator(t: Test, host: Host): Promise<Server> {
  const server = await start(t, host)
  const account = { UserName: 'ann', Password: password, RoleId: 'Operator' }
  t.equal((await server.post(accounts, account)).status, 201)
  return server
}

/** A connection on which a request was answered with a status, and goes on. */
async function begun(t: Test, server: Server, bytes: string, status: number): Promise<Connection> {
  const connection = await server.connect()
  t.teardown(() => connection.close())
  connection.write(bytes)
  t.equal((await connection.response())?.status, status)
  return connection
}

const fields = (headers: Headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

const openConsole = (t: Test, server: Server, headers: Headers) =>
  begun(t, server, head('GET', serialConsole, `${fields(headers)}${offer}Sec-WebSocket-Version: 13\r\n`), 101)

/** An upload of which nothing comes, as soon as there is room for it. */
async function openUpload(t: Test, server: Server, headers: Headers): Promise<Connection> {
  const waits = 'Expect: 100-continue\r\nContent-Length: 1000\r\n'
  const bytes = head('POST', '/redfish/v1/UpdateService/update', `${fields(headers)}${waits}`)
  for (let tries = 0; tries < 2000; tries += 1) {
    const connection = await server.connect()
    t.teardown(() => connection.close())
    connection.write(bytes)
    if ((await connection.response())?.status === 100) return connection
    connection.close()
  }
  throw new Error('there is no room for an upload')
}

async function ends(source: EventSource): Promise<void> {
  while ((await source.next()) !== undefined);
}

onBothHosts(async (t, host) => {
  for (const [what, change] of [
    ['loses the privilege', { RoleId: 'ReadOnly' }],
    ['gets another password', { Password: 'Green-Door-5' }],
    ['has to change the password', { PasswordChangeRequired: true }],
    ['is disabled', { Enabled: false }]
  ] as const) {
    t.test(`a console whose user ${what} shows nothing more, and takes nothing`, async (t) => {
      const server = await withOperator(t, host)
      const { token } = await server.login('ann', password)
      const consoles = [await openConsole(t, server, token), await openConsole(t, server, basic('ann', password))]
      const other = await openTerminal(t, server)
      other.type('before;')
      await other.until('before;')
      t.equal((await server.patch(ann, change)).status, 200)
      for (const each of consoles) each.write(typed('not for this host;'))
      other.type('after;')
      await other.until('after;')
      for (const { closed } of consoles) await closed
      const { text } = await server.get(serialConsole)
      t.match(text, /before;after;$/)
      for (const { received } of consoles) {
        t.match(received.toString('latin1'), /before;/)
        t.notMatch(received.toString('latin1'), /after;/)
        t.ok(received.toString('hex').endsWith(goodbye))
      }
      other.socket.close()
      await other.closed
    })
  }

  t.test('a new password ends the streams of who logged in with the one before', async (t) => {
    const server = await withOperator(t, host)
    const { token } = await server.login('ann', password)
    const { token: other } = await server.login('ann', password)
    const bySession = await EventSource.open(t, server, undefined, token)
    const byOther = await EventSource.open(t, server, undefined, other)
    const byPassword = await EventSource.open(t, server, undefined, basic('ann', password))
    t.equal((await server.patch(ann, { Password: 'Green-Door-5' }, token)).status, 200)
    await ends(byOther)
    await ends(byPassword)
    const test = '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/'
    await server.post(test, { MessageId: 'StorageDevice.1.0.Test', EventId: 'after' })
    await bySession.find(({ EventId }) => EventId === 'after')
    t.equal((await server.patch(ann, { RoleId: 'ReadOnly' })).status, 200)
    await server.post(test, { MessageId: 'StorageDevice.1.0.Test', EventId: 'still' })
    await bySession.find(({ EventId }) => EventId === 'still')
  })

  t.test('an upload ends with the authorization of its sender, who may say nothing, and makes room', async (t) => {
    const server = await withOperator(t, host)
    for (const [change, status] of [
      [{ RoleId: 'ReadOnly' }, 403],
      [{ RoleId: 'Operator', Password: 'Green-Door-5' }, 401]
    ] as const) {
      t.equal((await server.patch(ann, { RoleId: 'Operator', Password: password })).status, 200)
      const upload = await openUpload(t, server, basic('ann', password))
      t.equal((await server.patch(ann, change)).status, 200)
      t.equal((await upload.response())?.status, status)
      const next = await openUpload(t, server, admin)
      next.close()
    }
  })
})
