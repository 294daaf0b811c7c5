import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { Pool } from 'undici'
import { Authority, authorityExtensions, type Issued, licenseKey } from './authority.ts'
import {
  addUser,
  importAuthority,
  login,
  logsInByCertificate,
  map,
  mapping,
  serveTrusted
} from './certificate-users.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { head } from './raw.ts'
import { admin, anonymous, basic, type Json, type Server, start } from './server.ts'
import { console as serialConsole } from './terminal.ts'

const sessions = '/redfish/v1/SessionService/Sessions'
const operator = '/redfish/v1/AccountService/Accounts/operator/'
const closed = '/redfish/v1/Systems/'

interface Ready {
  readonly server: Server
  readonly authority: Authority
  readonly own: Issued
}

const keys = (json: Json): string[] =>
  json.error['@Message.ExtendedInfo'].map((each: Json) => each.MessageId.split('.').at(-1))

/** The answer to a client with a certificate, on a connection of its own. */
async function ask(port: number, own: Issued | undefined, path = closed, more: Json = {}) {
  const pool = new Pool(`https://127.0.0.1:${port}`, { connect: { rejectUnauthorized: false, ...own }, connections: 1 })
  try {
    const { method = 'GET', headers = {}, body = null } = more
    const answer = await pool.request({ method, path, headers, body })
    return { status: answer.statusCode, headers: answer.headers, json: (await answer.body.json()) as Json }
  } finally {
    await pool.close()
  }
}

/** A service where everything is ready, with a certificate that is mapped to `operator`. */
async function ready(t: Test, host: Host): Promise<Ready> {
  const server = await start(t, host)
  await addUser(server, 'operator')
  return { server, ...(await logsInByCertificate(t, server, 'operator')) }
}

/** All that a login with a certificate rests on: how to take it away, and how to give it back. */
function grounds(server: Server, authority: Authority, own: Issued) {
  const license = '/redfish/v1/Managers/1/LicenseService'
  const removeAuthority = async () => {
    const [member] = (await server.get(`${login}/Certificates/`)).json.Members
    return server.delete(member['@odata.id'])
  }
  return [
    [
      'the account is disabled',
      () => server.patch(operator, { Enabled: false }),
      () => server.patch(operator, { Enabled: true })
    ],
    [
      'the license is gone',
      () => server.delete(`${license}/1`),
      () => server.post(license, { LicenseKey: licenseKey() })
    ],
    [
      'its authority is trusted no more',
      removeAuthority,
      () => server.post(importAuthority, { Certificate: authority.cert })
    ],
    ['it is mapped no more', () => server.delete(`${mapping}/operator`), () => map(server, 'operator', own)],
    [
      'login with certificates is disabled',
      () => server.patch(login, { CertificateLoginEnabled: false }),
      () => server.patch(login, { CertificateLoginEnabled: true })
    ]
  ] as const
}

onBothHosts(async (t, host) => {
  t.test('it is enabled only when everything that it needs is there, and each thing missing is named', async (t) => {
    const server = await start(t, host)
    const authority = new Authority(t, 'Users')
    const own = authority.issue()
    const enable = () => server.patch(login, { CertificateLoginEnabled: true })
    const missing = async () => {
      const { status, json } = await enable()
      const messages = json.error['@Message.ExtendedInfo']
      return [status, ...messages.map((each: Json) => each.MessageArgs[0]?.split(' ').slice(-3).join(' ') ?? 'license')]
    }
    const all = ['license', 'server is configured', 'signed by itself', 'can log in', 'authority was imported']
    t.same(await missing(), [403, ...all])
    await server.post('/redfish/v1/Managers/1/LicenseService', { LicenseKey: licenseKey() })
    t.same(await missing(), [409, ...all.slice(1)])
    await server.patch('/redfish/v1/Managers/1/DateTime', { StaticNTPServers: ['ntp.example.net'] })
    t.same(await missing(), [409, ...all.slice(2)])
    await serveTrusted(server, authority)
    t.same(await missing(), [409, ...all.slice(3)])
    await addUser(server, 'operator')
    await map(server, 'operator', own)
    t.same(await missing(), [409, ...all.slice(4)])
    t.equal((await ask(server.port, own)).status, 401, 'no client is asked for a certificate yet')
    await server.post(importAuthority, { Certificate: authority.cert })
    t.equal((await enable()).status, 200)
    t.equal((await server.get(`${login}/`)).json.CertificateLoginEnabled, true)
    t.equal((await ask(server.port, own)).status, 200)
    const { json } = await server.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.&$top=100')
    t.ok(JSON.stringify(json).includes('CertificateLoginEnabled'), 'it is in the log')
  })

  t.test('a mapped certificate is enough for requests, and for a session', async (t) => {
    const { server, own } = await ready(t, host)
    t.equal((await ask(server.port, own)).status, 200)
    t.equal((await ask(server.port, undefined)).status, 401)
    for (const body of [null, '{}']) {
      const headers = body === null ? {} : { 'content-type': 'application/json' }
      const made = await ask(server.port, own, sessions, { method: 'POST', headers, body })
      t.equal(made.status, 201, String(body))
      t.equal(made.json.UserName, 'operator')
      t.equal(made.json.Oem.Vendor.Privileges.MgmtConfigPriv, false, 'with the privileges of that user')
      const token = { 'x-auth-token': String(made.headers['x-auth-token']) }
      t.equal((await server.get(closed, token)).status, 200)
    }
    const nameless = await ask(server.port, undefined, sessions, { method: 'POST' })
    t.equal(nameless.status, 400)
    const half = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"UserName":"operator"}' }
    t.equal((await ask(server.port, own, sessions, half)).status, 400)
    const denied = await ask(server.port, own, login, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"CertificateLoginEnabled":false}'
    })
    t.same([denied.status, keys(denied.json)], [403, ['InsufficientPrivilege']])
  })

  t.test('a service that starts again asks for certificates from its first connection on', async (t) => {
    const { server, own } = await ready(t, host)
    await server.stop()
    const again = await start(t, host, { data: server.data })
    t.equal((await ask(again.port, own)).status, 200)
    t.equal((await ask(again.port, undefined)).status, 401)
  })

  t.test('credentials in the request take precedence over the certificate', async (t) => {
    const { server, own } = await ready(t, host)
    const who = async (headers: Json) => (await ask(server.port, own, `${closed}?only`, { headers })).status
    t.equal(await who({ 'x-auth-token': 'f'.repeat(32) }), 401)
    t.equal(await who(basic('operator', 'wrong')), 401)
    t.equal(await who({ authorization: 'Bearer x' }), 401)
    t.equal(await who(admin), 200)
    t.equal(await who({}), 200)
  })

  t.test('a client certificate with any fault is not accepted', async (t) => {
    const { server, authority, own } = await ready(t, host)
    const stranger = new Authority(t, 'Strangers')
    const twin = new Authority(t, 'Users')
    const users: [string, Issued][] = [
      ['unknown', stranger.issue({ subject: '/CN=unknown' })],
      ['twin', twin.issue({ subject: '/CN=twin' })],
      ['expired', authority.issue({ subject: '/CN=expired', from: -9, until: -1 })],
      ['early', authority.issue({ subject: '/CN=early', from: 1, until: 9 })],
      ['signer', authority.issue({ subject: '/CN=signer', extensions: ['keyUsage=keyAgreement'] })],
      ['server', authority.issue({ subject: '/CN=server', extensions: ['extendedKeyUsage=serverAuth'] })]
    ]
    // Mbed TLS refuses in the handshake what it cannot read of a certificate; OpenSSL leaves it to the service.
    const odd = authority.issue({ subject: '/CN=odd', extensions: ['1.2.3.4.5=critical,ASN1:UTF8String:odd'] })
    await addUser(server, 'odd')
    await map(server, 'odd', odd)
    const answered = await ask(server.port, odd).then(
      ({ status }) => status,
      () => 'no answer'
    )
    t.equal(answered, host.name === 'Node.js' ? 401 : 'no answer', 'an unknown critical extension')
    for (const [user, issued] of users) {
      await addUser(server, user)
      await map(server, user, issued)
    }
    for (const [user, issued] of users) t.equal((await ask(server.port, issued)).status, 401, user)
    t.equal((await ask(server.port, authority.issue())).status, 401, 'the same subject, but another key')
    const plain = authority.issue({ subject: '/CN=plain', extensions: [] })
    t.equal((await ask(server.port, plain)).status, 401, 'not mapped to a user')
    await addUser(server, 'plain')
    await map(server, 'plain', plain)
    t.equal((await ask(server.port, plain)).status, 200, 'extensions that are not there forbid nothing')
    t.equal((await ask(server.port, own)).status, 200)
  })

  t.test('one connection: a withdrawn right takes effect from the next request on', async (t) => {
    const { server, authority, own } = await ready(t, host)
    const pool = new Pool(`https://127.0.0.1:${server.port}`, {
      connect: { rejectUnauthorized: false, ...own },
      connections: 1
    })
    t.teardown(() => pool.destroy())
    const status = async () => {
      const { statusCode, body } = await pool.request({ method: 'GET', path: closed })
      await body.dump()
      return statusCode
    }
    t.equal(await status(), 200)
    for (const [why, takeAway, giveBack] of grounds(server, authority, own)) {
      await takeAway()
      t.equal(await status(), 401, why)
      await giveBack()
      t.equal(await status(), 200)
    }
    await server.delete(operator)
    t.equal(await status(), 401, 'the account is gone')
    t.equal((await server.get(`${mapping}/`)).json['Members@odata.count'], 0, 'and its mapping with it')
  })

  t.test('streams, consoles and sessions end with the basis of the certificate', async (t) => {
    const { server, authority, own } = await ready(t, host)
    const begin = async (path: string, fields: string, status: number) => {
      const connection = await server.connect(own)
      t.teardown(() => connection.close())
      connection.write(head('GET', path, fields))
      t.equal((await connection.response())?.status, status)
      return connection
    }
    const offer = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`
    for (const [why, takeAway, giveBack] of grounds(server, authority, own)) {
      const login = await ask(server.port, own, sessions, { method: 'POST' })
      const token = { 'x-auth-token': String(login.headers['x-auth-token']) }
      t.equal((await server.get(closed, token)).status, 200)
      const stream = await begin('/redfish/v1/EventService/SSE', '', 200)
      const console = await begin(serialConsole, `${offer}Sec-WebSocket-Version: 13\r\n`, 101)
      const bySession = await EventSource.open(t, server, undefined, token)
      await takeAway()
      t.equal((await server.get(closed, token)).status, 401, why)
      await console.closed
      t.ok(console.received.toString('hex').endsWith('880203f0'), 'with the status 1008')
      while (!stream.received.toString('latin1').endsWith('\r\n0\r\n\r\n')) await once(stream.socket, 'data')
      stream.close()
      while ((await bySession.next()) !== undefined);
      await giveBack()
      t.equal((await server.get(closed, token)).status, 401, 'a session does not come back')
    }
  })

  t.test('a resumed TLS session is as good as the one before it, and no better', async (t) => {
    const { server, own } = await ready(t, host)
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const options = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion } as const
      const first = await exchange(connect({ ...options, ...own }))
      t.equal(first.status, 200, maxVersion)
      const again = await exchange(connect({ ...options, ...own, session: first.session }))
      t.equal(again.status, 200, `${maxVersion}, with the session${again.reused ? ', resumed' : ''}`)
      const without = await exchange(connect(options))
      t.equal(without.status, 401)
      const resumed = await exchange(connect({ ...options, session: without.session }))
      t.equal(resumed.status, 401)
    }
  })

  t.test('a session from before certificates were asked for is not resumed', async (t) => {
    const { server, own } = await ready(t, host)
    await server.patch(login, { CertificateLoginEnabled: false })
    const options = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ...own } as const
    const before = await exchange(connect(options))
    t.equal(before.status, 401)
    await server.patch(login, { CertificateLoginEnabled: true })
    const after = await exchange(connect({ ...options, session: before.session }))
    t.same([after.status, after.reused], [200, false])
  })

  t.test('only authorities are imported, each once, and users get one certificate each', async (t) => {
    const server = await start(t, host, { configuration: { limits: { trustedCertificates: 2 } } })
    const authority = new Authority(t, 'Users')
    const send = async (Certificate: string) => {
      const { status, json } = await server.post(importAuthority, { Certificate })
      return [status, ...keys(json)]
    }
    t.same(await send('no certificate'), [400, 'CertificateNotAccepted'])
    t.same(await send(authority.issue().cert), [400, 'CertificateNotAccepted'])
    const powerless = new Authority(t, 'P', ['basicConstraints=CA:TRUE', 'keyUsage=digitalSignature'])
    t.same(await send(powerless.cert), [400, 'CertificateNotAccepted'])
    const past = authority.issue({ from: -9, until: -1, extensions: authorityExtensions })
    t.same(await send(past.cert), [400, 'CertificateNotAccepted'])
    t.same(await send(authority.cert.replaceAll('\n', '\\n')), [200, 'Success'])
    t.same(await send(authority.cert), [409, 'ResourceAlreadyExists'])
    t.same(await send(new Authority(t, 'Second').cert), [200, 'Success'])
    t.same(await send(new Authority(t, 'Third').cert), [409, 'CreateLimitReachedForResource'])
    const named = await server.post(importAuthority, { Action: 'Other', Certificate: authority.cert })
    t.same([named.status, ...keys(named.json)], [400, 'ActionParameterValueError'])

    const [own, other] = [authority.issue(), authority.issue()]
    const wish = async (UserName: string, Fingerprint: string) => {
      const { status, json } = await server.post(mapping, { UserName, Fingerprint })
      return [status, ...keys(json)]
    }
    t.same(await wish('nobody', own.cert), [400, 'PropertyValueIncorrect'])
    t.same(await wish('admin', own.key), [400, 'CertificateNotAccepted'])
    t.same(await wish('admin', own.cert), [201, 'Created'])
    t.same(await wish('admin', other.cert), [409, 'ResourceAlreadyExists'])
    await addUser(server, 'operator')
    t.same(await wish('operator', own.cert), [409, 'ResourceAlreadyExists'])
    const user = basic('operator', 'Tin-Whistle-8')
    t.equal((await server.post(mapping, { UserName: 'operator', Fingerprint: other.cert }, user)).status, 403)
    t.equal((await server.delete(`${mapping}/admin`, user)).status, 403)
    t.equal((await server.get(`${mapping}/admin/`, anonymous)).status, 401)
    const { json } = await server.get('/redfish/v1/CertificateService/CertificateLocations/')
    t.equal(json.Links['Certificates@odata.count'], 4)
    for (const each of json.Links.Certificates) t.equal((await server.get(each['@odata.id'])).status, 200)
  })
})

/** One request on a raw connection: the status, and the session to resume. */
function exchange(socket: TLSSocket): Promise<{ status: number; session: Buffer | undefined; reused: boolean }> {
  return new Promise((resolve, reject) => {
    let session: Buffer | undefined
    let text = ''
    socket.on('session', (given) => {
      session = given
    })
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve({ status: Number(text.split(' ')[1]), session, reused: socket.isSessionReused() }))
    socket.on('secureConnect', () => socket.write(`GET ${closed} HTTP/1.1\r\nHost: bmc\r\nConnection: close\r\n\r\n`))
  })
}
