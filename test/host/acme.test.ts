// needs: jq
import { createHash, type X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { bash, blocks } from '#test/conformance/pages.ts'
import { Liar, type Lie } from './acme-liar.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { external, Pebble, TestDns } from './pebble.ts'
import { directory, type Json, password, type Response, type Server, start } from './server.ts'

const enrollment = '/redfish/v1/CertificateService/CertificateEnrollments/HTTPS/'
const renew = `${enrollment}Actions/Oem/Vendor/VendorCertificateEnrollment.Renew`
const name = 'bmc-1.example.net'
const hour = 3_600_000

/** Settings with which a test takes no time. */
const quick = { poll: 0.05, retryAfter: 3600 }

/** The certificate that clients get. */
async function shown(server: Server, options: Json = {}): Promise<X509Certificate> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const made = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
      resolve(made)
    ).on('error', reject)
  })
  const certificate = socket.getPeerX509Certificate() as X509Certificate
  socket.destroy()
  return certificate
}

const settings = (ServerURI: string, more: Json = {}): Json => ({
  ServerURI,
  Enabled: true,
  CSRParameters: { AlternativeNames: [name] },
  ...more
})

async function set(server: Server, body: Json): Promise<void> {
  const { status, text } = await server.patch(enrollment, body)
  if (status !== 200) throw new Error(text)
}

/** The enrollment once its last attempt has come to an end like this. */
async function ended(server: Server, status: string): Promise<Json> {
  const answer = await server.until(
    () => server.get(enrollment),
    ({ json }) => json.EnrollmentState.LastOperationStatus === status
  )
  return answer.json
}

/** The task of a renewal that is asked for, once it has ended. */
async function renewed(server: Server): Promise<Response> {
  const { status, text, headers } = await server.post(renew, {})
  if (status !== 202) throw new Error(text)
  return server.until(
    () => server.get(String(headers.location)),
    ({ json }) => json.EndTime !== undefined && json.TaskState !== 'Running'
  )
}

async function open(t: Test, host: Host, more: Json = {}, configuration: Json = {}) {
  const dns = await TestDns.start(t)
  return {
    dns,
    server: await start(t, host, { configuration: { enrollment: { ...quick, ...more }, ...configuration } })
  }
}

onBothHosts(async (t, host) => {
  t.test(
    'a certificate comes by tls-alpn-01, and the service serves with it at once, and after a restart',
    async (t) => {
      const { dns, server } = await open(t, host)
      const pebble = await Pebble.start(t, { dns, tlsPort: server.port })
      await pebble.trustedBy(server)
      await set(server, settings(pebble.directory, { ACME: { Email: 'admin@example.net' } }))
      const { Oem, EnrollmentState } = await ended(server, 'Success')
      const first = await shown(server)
      t.match(first, { issuer: /Pebble Intermediate/, subjectAltName: `DNS:${name}` })
      t.equal(Oem.Vendor.LastFailure, null)
      const begun = Date.parse(EnrollmentState.LastOperationTime)
      const due = Date.parse(Oem.Vendor.NextRenewalTime)
      t.ok(due > begun + 15 * hour && due < begun + 17 * hour, 'two thirds of a day later')
      const { json } = await renewed(server)
      t.equal(json.TaskState, 'Completed')
      const second = await shown(server)
      t.match(second, { issuer: /Pebble Intermediate/, subjectAltName: `DNS:${name}` })
      t.not(second.serialNumber, first.serialNumber, 'a client gets another one when it asks')
      await server.stop()
      const again = await start(t, host, { data: server.data })
      t.equal((await shown(again)).serialNumber, second.serialNumber)
      t.match(await ended(again, 'Success'), { Enabled: true })
    }
  )

  t.test('the example of the page works as printed', async (t) => {
    const { dns, server } = await open(t, host)
    const pebble = await Pebble.start(t, { dns, tlsPort: server.port })
    const [, login = ''] = blocks('README.md', 'A five-minute tour')
    const [example = ''] = blocks('docs/security.md', 'Certificates that renew themselves')
    const folder = directory(t)
    writeFileSync(join(folder, 'ca.pem'), pebble.authority)
    const steps = `cd ${folder}\n${login}${example}`
      .replaceAll('localhost:8443', `127.0.0.1:${server.port}`)
      .replaceAll('Tour-of-5-minutes', password)
      .replaceAll('https://acme.example.net/directory', pebble.directory)
    const { status, printed } = await bash(steps)
    t.equal(status, 0, printed)
    t.match(await shown(server), { issuer: /Pebble Intermediate/, subjectAltName: `DNS:${name}` })
  })

  t.test('a certificate comes by dns-01, with records that a program adds and removes', async (t) => {
    const dns = await TestDns.start(t)
    const { program, calls } = dns.hook()
    const pebble = await Pebble.start(t, { dns, tlsPort: 1 })
    const authorities = join(directory(t), 'authorities.pem')
    writeFileSync(authorities, pebble.authority)
    const configuration = { enrollment: { ...quick, dnsHook: program, authorities } }
    const server = await start(t, host, { configuration })
    const AlternativeNames = [name, 'bmc-2.example.net']
    await set(
      server,
      settings(pebble.directory, { ACME: { ChallengeType: 'Dns01' }, CSRParameters: { AlternativeNames } })
    )
    await ended(server, 'Success')
    t.equal((await shown(server)).subjectAltName, 'DNS:bmc-1.example.net, DNS:bmc-2.example.net')
    const lines = readFileSync(calls, 'utf8').trim().split('\n')
    t.equal(lines.length, 4)
    for (const [index, line] of lines.entries())
      t.match(line, /^3 (add|remove) _acme-challenge\.bmc-[12]\.example\.net [\w-]{43}$/, `call ${index}`)
    writeFileSync(program, '#!/bin/sh\necho asking >&2\necho no such zone >&2\nexit 1\n')
    await renewed(server)
    const { LastFailure } = (await ended(server, 'Failed')).Oem.Vendor
    t.equal(LastFailure, 'the program for records of DNS fails: no such zone')
    rmSync(authorities)
    await renewed(server)
    t.equal((await ended(server, 'Failed')).Oem.Vendor.LastFailure, 'the file of authorities cannot be read: ENOENT')
  })

  t.test('an authority that wants an account of its own gets the proof of one', async (t) => {
    const { dns, server } = await open(t, host)
    const pebble = await Pebble.start(t, { dns, tlsPort: server.port, external: true })
    await pebble.trustedBy(server)
    await set(server, settings(pebble.directory))
    const refused = await ended(server, 'Failed')
    t.match(refused.Oem.Vendor.LastFailure, /^HTTP status 403 .*externalAccountRequired/)
    await set(server, { ACME: { EABKeyId: external.id, EABKey: external.key } })
    const { ACME, Oem } = await ended(server, 'Success')
    t.match(ACME, { EABKey: null, EABKeyId: null })
    t.equal(Oem.Vendor.LastFailure, null)
    t.notMatch([...server.process.stderr, ...server.process.stdout].join('\n'), external.key)
  })

  t.test('a certificate is renewed at two thirds of its life, and not for ever by a clock that is ahead', async (t) => {
    const { dns, server } = await open(t, host, {}, { simulatedClock: true })
    const pebble = await Pebble.start(t, { dns, tlsPort: server.port })
    await pebble.trustedBy(server)
    await set(server, settings(pebble.directory))
    await ended(server, 'Success')
    const first = await shown(server)
    await set(server, { RenewBeforeExpiryDays: 1 })
    t.equal((await shown(server)).serialNumber, first.serialNumber, 'it is not due')
    await server.patch('/redfish/v1/Managers/1', { DateTime: new Date(Date.now() + 17 * hour).toISOString() })
    await set(server, { RenewBeforeExpiryDays: null })
    await server.until(
      () => server.get(enrollment),
      ({ json }) => Date.parse(json.EnrollmentState.LastOperationTime) > Date.now() + hour && isDone(json)
    )
    const second = await shown(server)
    t.not(second.serialNumber, first.serialNumber)
    const { EnrollmentState } = (await server.get(enrollment)).json
    t.equal(EnrollmentState.LastOperationStatus, 'Success', 'one attempt')
  })

  t.test('only clients that ask for it get the certificate of a challenge, while there is one', async (t) => {
    const server = await start(t, host, { configuration: { enrollment: quick } })
    const liar = await Liar.start(t, 'pending')
    await liar.trustedBy(server)
    const asks = { ALPNProtocols: ['acme-tls/1'], servername: name }
    await t.rejects(shown(server, asks), 'no challenge certificate yet')
    const own = await shown(server)
    await set(server, settings(liar.directory))
    await server.until(
      () => server.get(enrollment),
      () => liar.asked.some(({ path }) => path === '/challenge')
    )
    const { jwk } = liar.asked.find(({ path }) => path === '/account')?.header ?? {}
    const thumb = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y })
    const digest = (text: string) => createHash('sha256').update(text).digest()
    const proof = digest(`token.${digest(thumb).toString('base64url')}`)
    const challenge = await shown(server, asks)
    const inPieces = await shown(server, { ...asks, port: await pieces(t, server.port) })
    t.equal(inPieces.serialNumber, challenge.serialNumber, 'also if the first record arrives in pieces')
    t.equal(challenge.subjectAltName, `DNS:${name}`)
    t.ok(challenge.raw.includes(Buffer.concat([Buffer.from('0101ff04220420', 'hex'), proof])), 'RFC 8737, section 3')
    for (const ALPNProtocols of [undefined, ['http/1.1'], ['h2', 'http/1.1']])
      t.equal((await shown(server, { ALPNProtocols, servername: name })).serialNumber, own.serialNumber)
    t.equal((await server.get(enrollment)).json.EnrollmentState.LastOperationStatus, 'InProgress')
    await server.kill()
    const again = await start(t, host, { data: server.data, configuration: { enrollment: quick } })
    await again.until(
      () => again.get(enrollment),
      () => liar.asked.filter(({ path }) => path === '/order').length === 2
    )
    const accounts = liar.asked.filter(({ path }) => path === '/account')
    t.same(
      accounts[1]?.header.jwk,
      accounts[0]?.header.jwk,
      'a kill at any time: it begins anew, with the same account'
    )
    t.equal((await shown(again)).serialNumber, own.serialNumber)
  })

  t.test('a server that lies leads nowhere, and changes nothing', async (t) => {
    const limits = { answerTime: 0.5, time: 5, answerBytes: 32_768 }
    const server = await start(t, host, { configuration: { enrollment: { ...quick, ...limits } } })
    const own = await shown(server)
    const liar = await Liar.start(t, 'redirect')
    const unreachable = 'the server cannot be reached, or is not trusted, or went away'
    await set(server, settings(liar.directory))
    t.equal((await ended(server, 'Failed')).Oem.Vendor.LastFailure, unreachable, 'no authority vouches for it')
    t.equal(liar.asked.length, 0)
    await liar.trustedBy(server)
    const lies: [Lie, string | RegExp][] = [
      ['redirect', 'the server redirects: HTTP status 302'],
      ['stranger', /^the server names a URL of another server: https:\/\/127\.0\.0\.1:\d+\/order$/],
      ['endless', unreachable],
      ['silent', unreachable],
      ['no JSON', 'the answer is no JSON object'],
      ['nonces', 'HTTP status 400 urn:ietf:params:acme:error:badNonce again'],
      ['other name', 'the server wants a proof of a name that was not asked for'],
      ['pending', 'it takes longer than 5 s']
    ]
    for (const [lie, expected] of lies) {
      liar.lie = lie
      const before = liar.asked.length
      const { json } = await renewed(server)
      if (lie === 'nonces') t.equal(liar.asked.length - before, 3, 'it is asked three times')
      t.equal(json.TaskState, 'Exception', lie)
      t.match((await ended(server, 'Failed')).Oem.Vendor.LastFailure, expected, lie)
    }
    t.equal(liar.strangers, 0, 'no request went elsewhere')
    t.equal((await shown(server)).serialNumber, own.serialNumber)
    const told = (await server.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.')).text
    t.match(told, 'The certificate was not renewed: the server redirects: HTTP status 302.')
  })

  t.test('settings with which there is no certificate are refused', async (t) => {
    const server = await start(t, host)
    const uri = { ServerURI: 'https://acme.example.net/directory' }
    const refusals: [Json, string][] = [
      [{ Enabled: true }, 'Base.PropertyValueConflict(Enabled, ServerURI)'],
      [{ ServerURI: 'http://acme.example.net/' }, 'Base.PropertyValueFormatError(http://acme.example.net/, ServerURI)'],
      [{ ...uri, ACME: { ChallengeType: 'Dns01' } }, 'Base.PropertyValueNotInList(Dns01, ChallengeType)'],
      [{ ...uri, ACME: { EABKeyId: 'x' } }, 'Base.PropertyMissing(EABKey)'],
      [{ ...uri, ACME: { EABKey: 'AAAA' } }, 'Base.PropertyMissing(EABKeyId)']
    ]
    for (const [body, expected] of refusals) {
      const answer = await server.patch(enrollment, body)
      t.same([answer.status, messagesOf(answer)], [400, [expected]])
    }
    const answer = await server.post(renew, {})
    t.same([answer.status, messagesOf(answer)], [409, ['Base.PropertyMissing(ServerURI)']])
    t.equal((await server.patch(enrollment.replace('HTTPS', '1'), {})).status, 404)
  })
})

/** The port of a relay that hands on what a client says first byte by byte. */
async function pieces(t: Test, port: number): Promise<number> {
  const relay = createServer((from) => {
    const to = connectTcp({ port, host: '127.0.0.1', noDelay: true })
    const first = async (chunk: Buffer) => {
      from.pause()
      for (const byte of chunk) await new Promise((sent) => to.write(Buffer.of(byte), sent))
      from.pipe(to)
    }
    from.once('data', (chunk: Buffer) => void first(chunk))
    to.pipe(from)
    for (const socket of [from, to]) socket.on('error', () => socket.destroy())
    t.teardown(() => to.destroy())
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.teardown(() => relay.close())
  return (relay.address() as AddressInfo).port
}

const isDone = (json: Json) => json.EnrollmentState.LastOperationStatus !== 'InProgress'
