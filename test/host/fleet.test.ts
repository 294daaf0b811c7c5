import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectionOptions, connect } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { Agent, request } from 'undici'
import { run } from '#test/clients/run.ts'
import { freePort } from '#test/conformance/free-port.ts'
import { checkMetrics } from '#test/runtime/fleet/metrics.ts'
import { Authority } from './authority.ts'
import { needing } from './every-host.ts'
import { client, type Member, startFleet } from './fleets.ts'
import { type Host, hosts } from './hosts.ts'
import { Process } from './process.ts'
import { Connection, head } from './raw.ts'
import { admin, directory, type Json, password } from './server.ts'

/** Those that have it: what is flashed has not. */
const withFleet = hosts.filter(({ name }) => name !== 'ARMv7')
const system = 'Systems/1/'

/** How the command ends when it does not serve. */
async function refusal(host: Host, ...args: string[]) {
  const { status, stderr } = await new Process(host, ['fleet', ...args]).ended
  return { status, said: stderr.join('\n') }
}

const webSocket = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\nSec-WebSocket-Version: 13\r\n`

/** A connection of the administrator whose answer has begun, and does not end. */
async function began(to: { host: string; port: number }, path: string, fields: string, status: number) {
  const connection = await Connection.open(to.port, to)
  connection.write(head('GET', `/redfish/v1/${path}`, `Authorization: ${admin.authorization}\r\n${fields}`))
  const answer = await connection.response()
  if (answer?.status !== status) throw new Error(`${path}: ${answer?.status}`)
  return connection
}

/** Settles when nothing listens at a place any longer. */
async function refused(place: { host: string; port: number }): Promise<void> {
  for (;;) {
    const socket = connectPlain(place)
    const isOpen = await once(socket, 'connect').then(
      () => true,
      ({ code }: { code: string }) => code !== 'ECONNREFUSED'
    )
    socket.destroy()
    if (!isOpen) return
    await pause(20)
  }
}

t.setTimeout(900_000)

for (const host of withFleet) {
  needing(`on ${host.name}`, host.missing, async (t) => {
    t.test('controllers with an address each have an identity and a state of their own', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const args = ['--count', '40', '--network', '127.20.0.0/24', '--port', '0', '--data', data]
      let { process, line, members } = await startFleet(t, host, data, ...args)
      t.match(
        line,
        /^minnow: fleet of 40 listening on https:\/\/127\.20\.0\.1:\d+\/redfish\/v1\/ to https:\/\/127\.20\.0\.40:\d+\/redfish\/v1\/$/
      )
      t.equal(members.length, 40)
      for (const property of ['url', 'uuid', 'serialNumber', 'hostName'] as const)
        t.equal(new Set(members.map((member) => member[property])).size, 40, `each ${property} is another one`)
      const at = (number: number) => members[number - 1]!.url
      for (const number of [1, 7, 40]) {
        const { json } = await ask('GET', at(number) + system)
        t.match(json, { UUID: members[number - 1]!.uuid, SerialNumber: members[number - 1]!.serialNumber })
        const port = await ask('GET', `${at(number)}Managers/1/EthernetInterfaces/1/`)
        t.equal(port.json.IPv4Addresses[0].Address, `127.20.0.${number}`)
      }
      for (let round = 0; round < 3; round++) {
        for (const number of [1, 7, 40]) {
          const { json } = await ask('GET', `${at(number)}Chassis/1/`, undefined, { host: 'rack' })
          t.equal(json.SerialNumber, members[number - 1]!.serialNumber, 'also where the very same request comes again')
        }
      }
      t.equal((await ask('PATCH', at(7) + system, { AssetTag: 'rack 7' })).status, 200)
      t.equal((await ask('GET', at(8) + system)).json.AssetTag, '')
      await t.rejects(ask('GET', at(40).replace('127.20.0.40', '127.20.0.41') + system), { code: 'ECONNREFUSED' })

      t.equal((await process.kill('SIGTERM')).status, 0)
      ;({ process, members } = await startFleet(t, host, data, ...args))
      t.equal((await ask('GET', at(7) + system)).json.AssetTag, 'rack 7', 'it has its state from before')

      const reset = await ask('POST', `${at(9)}${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceOff' })
      t.equal(reset.status, 200)
      await process.kill('SIGKILL')
      ;({ process, members } = await startFleet(t, host, data, ...args))
      let state = ''
      while (state !== 'Off') state = (await ask('GET', at(9) + system)).json.PowerState
      t.equal((await ask('GET', at(10) + system)).json.PowerState, 'On')
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('a stop waits for requests at every address, also if the first has none', async (t) => {
      const data = directory(t)
      const args = ['--count', '3', '--network', '127.28.0.0/24', '--port', '0', '--data', data]
      const { process, members } = await startFleet(t, host, data, ...args)
      const body = JSON.stringify({ AssetTag: 'rack 7' })
      const fields = `Authorization: ${admin.authorization}\r\nContent-Type: application/json\r\n`
      const request = head(
        'PATCH',
        '/redfish/v1/Systems/1/',
        `${fields}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n`
      )
      const places = members
        .slice(1)
        .map(({ url }) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) }))
      const connections = await Promise.all(places.map(({ host, port }) => Connection.open(port, { host })))
      for (const connection of connections) {
        connection.write(request)
        t.equal((await connection.response())?.status, 100)
      }
      const ended = process.kill('SIGTERM')
      for (const place of places) await refused(place)
      // Long enough for a service that does not wait to close its store.
      await pause(500)
      for (const connection of connections) {
        connection.write(body)
        t.equal((await connection.response())?.status, 200)
      }
      const { status, stderr } = await ended
      t.equal(status, 0)
      t.notMatch(stderr.join('\n'), /"level":"error"/)
    })

    t.test('an account or session of one controller is refused by another', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const { process, members } = await startFleet(t, host, data, '--count', '2', '--port', '0', '--data', data)
      const [one, two] = members.map(({ url }) => url) as [string, string]
      const account = { UserName: 'erika', Password: 'battery staple', RoleId: 'Administrator' }
      t.equal((await ask('POST', `${one}AccountService/Accounts/`, account)).status, 201)
      const erika = { authorization: `Basic ${btoa('erika:battery staple')}` }
      t.equal((await ask('GET', one + system, undefined, erika)).status, 200)
      t.equal((await ask('GET', two + system, undefined, erika)).status, 401)
      const session = await ask('POST', `${one}SessionService/Sessions/`, {
        UserName: 'erika',
        Password: account.Password
      })
      const token = { authorization: '', 'x-auth-token': session.headers['x-auth-token'] }
      // Answers that may be repeated are those to the very same request.
      for (let round = 0; round < 2; round++) {
        t.equal((await ask('GET', one + system, undefined, token)).status, 200)
        t.equal((await ask('GET', two + system, undefined, token)).status, 401)
      }
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('controllers with a port each are distinguished by it', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const args = ['--count', '5', '--address', '127.0.0.1', '--port', '0', '--data', data]
      const { process, members } = await startFleet(t, host, data, ...args)
      t.equal(new Set(members.map(({ url }) => new URL(url).port)).size, 5)
      for (const { url, serialNumber } of members)
        t.equal((await ask('GET', url + system)).json.SerialNumber, serialNumber)
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('a reading that changes by itself is seen by a client that sends the same request', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const groups = [{ count: 1, address: '127.0.0.1', port: 0 }]
      writeFileSync(file, JSON.stringify({ data, configuration: { sensors: { interval: 1 } }, groups }))
      const { process, members } = await startFleet(t, host, data, file)
      const power = async () => (await ask('GET', `${members[0]!.url}Chassis/1/Power/`)).json.PowerControl
      const first = await power()
      let now = first
      for (let tries = 0; tries < 2400 && isDeepStrictEqual(now, first); tries++) {
        await pause(50)
        now = await power()
      }
      t.notSame(now, first)
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('a file describes groups, also over IPv6, and some distinguished by their host names', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const groups = [
        { count: 3, network: '127.21.0.16/28', port: 0, identity: { hostName: 'a{n:3}', assetTag: 'rack {x:2}' } },
        { count: 1, address: '::1', port: 0, identity: { uuid: '00000000-0000-8000-8000-{n:12}' } },
        { count: 1, network: '::/127', port: 0 },
        { count: 2, domain: 'lab.example', address: '127.0.0.1', port: 0 }
      ]
      writeFileSync(file, JSON.stringify({ data, seed: 7, configuration: { log: 'error' }, groups }))
      const { process, members } = await startFleet(t, host, data, file)
      t.strictSame(
        members.map(({ hostName }) => hostName),
        ['a001', 'a002', 'a003', ...[4, 5, 6, 7].map((number) => `bmc-0000${number}`)]
      )
      t.equal((await ask('GET', members[1]!.url + system)).json.AssetTag, 'rack 02')
      t.match(members[3]!.url, /^https:\/\/\[::1\]:/)
      t.equal((await ask('GET', members[3]!.url + system)).json.UUID, '00000000-0000-8000-8000-000000000004')
      t.match(members[4]!.url, /^https:\/\/\[::1\]:/)
      t.equal((await ask('GET', members[4]!.url + system)).json.UUID, members[4]!.uuid)
      const { host: name, port } = new URL(members[6]!.url)
      t.equal(name, `bmc-00007.lab.example:${port}`)
      for (let round = 0; round < 3; round++) {
        for (const { url, serialNumber } of members.slice(5)) {
          const asked = await ask('GET', `https://127.0.0.1:${port}/redfish/v1/${system}`, undefined, {
            host: new URL(url).host
          })
          t.equal(asked.json.SerialNumber, serialNumber, 'over one connection, also for a repeated request')
        }
      }
      t.equal((await ask('GET', `https://127.0.0.1:${port}/redfish/v1/`)).status, 421)
      const raw = await Connection.open(Number(port))
      raw.write(`GET ${members[5]!.url}${system} HTTP/1.1\r\nHost: ${name}\r\n`)
      raw.write(`Authorization: ${admin.authorization}\r\n\r\n`)
      const absolute = JSON.parse(String((await raw.response())?.body))
      t.equal(absolute.SerialNumber, members[5]!.serialNumber, 'the target says whom it is for, whatever Host says')
      raw.close()
      t.strictSame(process.stderr, [])
    })

    t.test('controllers with a domain may have a certificate each, which clients get by its name', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const common = { domain: 'lab.example', address: '127.0.0.1', port: 0 }
      const groups = [
        { count: 3, ...common, certificates: 'own' },
        { count: 1, ...common }
      ]
      const scenario = [{ at: '00:00', controllers: [3], certificate: 'expired' }]
      writeFileSync(file, JSON.stringify({ data, configuration: { log: 'error' }, groups, scenario }))
      let { process, members } = await startFleet(t, host, data, file)
      const name = (number: number) => new URL(members[number - 1]!.url).hostname
      const portOf = (number: number) => Number(new URL(members[number - 1]!.url).port)
      const presented = async (servername: string, more: ConnectionOptions = {}) => {
        const socket = connect({ host: '127.0.0.1', port: portOf(1), servername, rejectUnauthorized: false, ...more })
        const session = new Promise<Buffer>((resolve) => socket.once('session', resolve))
        await once(socket, 'secureConnect')
        const { fingerprint256, subject, subjectaltname, valid_to } = socket.getPeerCertificate()
        // The ticket comes with the first answer.
        socket.write(`GET /redfish HTTP/1.1\r\nHost: ${servername}\r\n\r\n`)
        socket.resume()
        const reused = socket.isSessionReused()
        const shown = { fingerprint256, subject, subjectaltname, isExpired: Date.parse(valid_to) < Date.now() }
        const given = { ...shown, reused, session: reused ? undefined : await session }
        socket.destroy()
        return given
      }
      while (!(await presented(name(3))).isExpired);
      const first = await presented(name(1))
      t.match(first, { isExpired: false, subject: { CN: name(1) }, subjectaltname: `DNS:${name(1)}` })
      t.equal((await presented(name(1).toUpperCase())).fingerprint256, first.fingerprint256)
      const second = await presented(name(2))
      t.match(second, { subject: { CN: name(2) }, subjectaltname: `DNS:${name(2)}` })
      const shared = await presented('')
      t.equal((await presented('nobody.lab.example')).fingerprint256, shared.fingerprint256)
      t.equal((await presented(name(4), { port: portOf(4) })).fingerprint256, shared.fingerprint256)
      t.notMatch(shared.subjectaltname, /lab\.example/)

      const at = (number: number) => `https://127.0.0.1:${portOf(number)}/redfish/v1/`
      const to = (number: number) => ({ host: `${name(number)}:${portOf(number)}` })
      const collection = 'Managers/1/NetworkProtocol/HTTPS/Certificates/'
      const action = `${at(1)}CertificateService/Actions/CertificateService`
      const wish = { CommonName: name(1), Country: 'CH', State: 'Bern', City: 'Bern', Organization: 'Lab' }
      const target = { '@odata.id': `/redfish/v1/${collection}` }
      const more = { OrganizationalUnit: 'Racks', CertificateCollection: target }
      const made = await ask('POST', `${action}.GenerateCSR`, { ...wish, ...more }, to(1))
      t.equal(made.status, 200)
      const authority = new Authority(t, 'Racks')
      const replacement = {
        CertificateString: authority.sign(made.json.CSRString, { extensions: [`subjectAltName=DNS:${name(1)}`] }),
        CertificateType: 'PEM',
        CertificateUri: { '@odata.id': `/redfish/v1/${collection}1/` }
      }
      const before = await presented(name(1))
      const resumed = await presented(name(1), { session: before.session! })
      t.equal(resumed.reused, host.name !== 'Node.js', 'a session is resumed for its name')
      const foreign = await presented(name(2), { session: before.session! })
      t.same([foreign.reused, foreign.fingerprint256], [false, second.fingerprint256], 'and with no other')
      t.equal((await ask('POST', `${action}.ReplaceCertificate`, replacement, to(2))).status, 400, 'not its key')
      t.equal((await ask('POST', `${action}.ReplaceCertificate`, replacement, to(1))).status, 200)
      const replaced = await presented(name(1), { ca: authority.cert, rejectUnauthorized: true })
      t.not(replaced.fingerprint256, first.fingerprint256)
      const later = await presented(name(1), { session: before.session! })
      t.same([later.reused, later.fingerprint256], [false, replaced.fingerprint256], 'nor is it skipped')
      t.equal((await presented(name(2))).fingerprint256, second.fingerprint256)
      t.equal((await presented('')).fingerprint256, shared.fingerprint256)

      await process.kill('SIGKILL')
      ;({ process, members } = await startFleet(t, host, data, file))
      t.equal((await presented(name(1))).fingerprint256, replaced.fingerprint256)
      t.equal((await presented(name(2))).fingerprint256, second.fingerprint256)
      t.match(await presented(name(3)), { subject: { CN: name(3) }, isExpired: true }, 'as its scenario says')
      t.strictSame(process.stderr, [])
    })

    t.test('a controller moves to the address that a DHCP server gives it', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const control = `127.0.0.1:${await freePort()}`
      const configuration = { log: 'error' }
      const groups = [{ count: 3, network: '127.25.0.0/24', port: await freePort() }]
      const scenario = [{ at: '00:01', controllers: [1], address: '127.25.0.100' }]
      writeFileSync(file, JSON.stringify({ data, control, configuration, speed: 0, groups, scenario }))
      let { process, members } = await startFleet(t, host, data, file)
      const [old, second] = members.map(({ url }) => url) as [string, string]
      const own = old.replace('127.25.0.1:', '127.25.0.100:')
      const login = { UserName: 'admin', Password: password }
      const sessions = 'SessionService/Sessions/'
      const page = `https://${control}/`
      const onPage = {
        'x-auth-token': (await ask('POST', `${page}redfish/v1/${sessions}`, login)).headers['x-auth-token']
      }
      const session = { 'x-auth-token': (await ask('POST', old + sessions, login)).headers['x-auth-token'] }
      const subscription = { Destination: 'https://192.0.2.1/', Protocol: 'Redfish' }
      t.equal((await ask('POST', `${old}EventService/Subscriptions/`, subscription)).status, 201)
      const port = Number(new URL(old).port)
      const connections = [
        await Connection.open(port, { host: '127.25.0.1' }),
        await Connection.open(port, { host: '127.25.0.2' })
      ]
      const lasting = await Promise.all([
        began({ port, host: '127.25.0.1' }, 'EventService/SSE', '', 200),
        began({ port, host: '127.25.0.1' }, 'Systems/1/SerialConsole', webSocket, 101)
      ])

      t.match((await ask('POST', `${page}fleet/time`, { advance: 60 }, onPage)).json, { done: 1 })
      await connections[0]!.closed
      await Promise.all(lasting.map((each) => each.closed))
      t.notOk(connections[1]!.socket.destroyed, 'that of another controller stays')
      connections[1]!.close()
      await t.rejects(ask('GET', old), { code: 'ECONNREFUSED' })
      const shown = await ask('GET', `${own}Managers/1/EthernetInterfaces/1/`, undefined, {
        ...session,
        authorization: ''
      })
      t.match(shown.json.IPv4Addresses, [{ Address: '127.25.0.100', AddressOrigin: 'DHCP' }], 'its session survives')
      t.equal((await ask('GET', `${own}EventService/Subscriptions/`)).json.Members.length, 1)
      const inventory = (): readonly Member[] => JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8'))
      t.same(
        inventory().map(({ url }) => url),
        [own, second, members[2]!.url]
      )
      const list = async () => (await ask('GET', `${page}fleet/`, undefined, onPage)).json.controllers
      t.match(await list(), [{ url: own.replace('redfish/v1/', '') }, { url: second.replace('redfish/v1/', '') }])

      const give = async (number: number, address: string) =>
        (await ask('POST', `${page}fleet/`, { controllers: [number], address }, onPage)).json.failed
      t.match(await give(3, '192.0.2.1'), [
        { number: 3, message: `192.0.2.1:${port} is not an address of this machine` }
      ])
      t.match(await give(3, '127.25.0.100'), [{ number: 3, message: `127.25.0.100:${port} is in use` }])
      t.same(await give(2, '127.25.0.1'), [], 'it may have the address that another one has left')
      t.equal((await ask('GET', old + system)).json.SerialNumber, members[1]!.serialNumber)
      t.equal((await ask('GET', own + system)).json.SerialNumber, members[0]!.serialNumber)

      t.equal((await process.kill('SIGTERM')).status, 0)
      ;({ process, members } = await startFleet(t, host, data, file))
      t.same(members.map(({ url }) => url).slice(0, 2), [own, old])
      t.equal((await ask('GET', own + system)).json.SerialNumber, members[0]!.serialNumber)
      t.equal((await ask('GET', old + system)).json.SerialNumber, members[1]!.serialNumber)
      await t.rejects(ask('GET', second), { code: 'ECONNREFUSED' })
      t.strictSame(process.stderr, [])
    })

    t.test('a network without a route and a board that is cut off are refused with group and line', async (t) => {
      const folder = directory(t)
      const file = join(folder, 'fleet.json')
      const board = join(folder, 'cut.json')
      writeFileSync(board, '{\n  "resources": {\n')
      const refused = async (group: object) => {
        const groups = [{ count: 1, network: '127.24.2.0/24', port: 0 }, group]
        writeFileSync(file, JSON.stringify({ data: join(folder, 'data'), groups }, undefined, 1))
        const { status, stderr } = await new Process(host, ['fleet', file]).ended
        t.not(status, 0)
        return stderr.at(-1)?.replaceAll(folder, '')
      }
      t.equal(
        await refused({ count: 2, network: '198.51.100.0/24', port: 8443 }),
        'minnow: /fleet.json:9: groups.1: 198.51.100.1:8443 is not an address of this machine: ip route add local 198.51.100.0/24 dev lo'
      )
      t.equal(
        await refused({ count: 2, board, port: 0 }),
        'minnow: /fleet.json:11: groups.1.board: board /cut.json: it is incomplete, and ends in line 2'
      )
    })

    t.test('metrics are at an address of their own, and top shows them', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const metrics = `127.0.0.1:${await freePort()}`
      const args = ['--count', '2', '--network', '127.24.0.0/24', '--port', '0', '--data', data, '--metrics', metrics]
      const { members, process } = await startFleet(t, host, data, ...args)
      const off = { ResetType: 'ForceOff' }
      t.equal((await ask('POST', `${members[1]!.url}${system}Actions/ComputerSystem.Reset/`, off)).status, 200)
      while ((await ask('GET', members[1]!.url + system)).json.PowerState !== 'Off');
      for (let round = 0; round < 3; round++) await ask('GET', `${members[0]!.url}Chassis/1/`)
      t.equal((await ask('GET', `${members[0]!.url}None/`)).status, 404)
      const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
      t.teardown(() => dispatcher.destroy())
      const got = await request(`https://${metrics}/metrics`, { dispatcher })
      t.equal(got.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
      const samples = checkMetrics(t, await got.body.text())
      t.match(Object.fromEntries(samples), {
        'minnow_controllers{group="0"}': 2,
        'minnow_controllers_open{group="0"}': 2,
        'minnow_systems{power="Off"}': 1,
        'minnow_systems{power="On"}': 1,
        'minnow_answers_total{group="0",status="404"}': 1
      })
      t.ok(
        (samples.get('minnow_answers_total{group="0",status="200"}') ?? 0) >= 5,
        'each is counted, also the same again'
      )
      t.ok((samples.get('minnow_events_total') ?? 0) > 0)
      t.equal((await request(`https://${metrics}/redfish/v1/`, { dispatcher })).statusCode, 404)
      const { status, stdout } = await new Process(host, ['fleet', 'top', metrics, '--lines', '1']).ended
      t.equal(status, 0)
      t.match(stdout, [
        /^2 controllers, 2 open; 0 answers\/s, 0 errors\/s; \d+ events\/s; power: O/,
        /^GROUP {2}CONTROLLERS {2}OPEN {2}ANSWERS\/S {2}ERRORS\/S {2}TIME {2}FAULTS$/,
        /^0 {16}2 {5}2 {10}0 {9}0 {2}0 ms$/
      ])
      const terminal = `${[...host.command, 'fleet', 'top', metrics, '--lines', '1'].join(' ')}`
      const shown = await run('script', '-qec', terminal, '/dev/null')
      t.match(shown.stdout, /^\x1b\[H\x1b\[J2 controllers/, 'a terminal shows the last reading only')
      t.equal((await process.kill('SIGTERM')).status, 0)
      const { status: failed, stderr } = await new Process(host, ['fleet', 'top', metrics]).ended
      t.equal(failed, 1)
      t.match(stderr.join('\n'), /^minnow: 127\.0\.0\.1:\d+ has no metrics: [^\n]+$/)
    })

    t.test('one of several fleets that are alike has numbers and identities of its own', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const args = ['--count', '3', '--network', '127.24.1.0/24', '--port', '0', '--data', data]
      const part = new Process(host, ['fleet', ...args], { MINNOW_ADMIN_PASSWORD: password, MINNOW_FLEET_PART: '2' })
      t.teardown(() => part.kill('SIGKILL'))
      await part.ready()
      const members: readonly Member[] = JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8'))
      t.strictSame(
        members.map(({ number, hostName }) => [number, hostName]),
        [7, 8, 9].map((number) => [number, `bmc-0000${number}`])
      )
      t.equal((await ask('GET', members[2]!.url + system)).json.SerialNumber, members[2]!.serialNumber)
      t.equal((await part.kill('SIGTERM')).status, 0)
    })

    t.test('faults are in the file, and an administrator can change them', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const network = '127.23.0.0/24'
      const faults = [
        { path: '/redfish/v1/Systems/1', methods: ['GET'], status: 503, retryAfter: 3 },
        { path: '/redfish/v1/Chassis*', hangUp: 0.5 },
        { path: '/redfish/v1/Managers', rate: 1000 }
      ]
      const groups = [
        { count: 1, network, port: 0, faults, devices: { power: { faults: { stuckOn: true } } } },
        { count: 1, network: '127.23.1.0/24', port: 0 }
      ]
      writeFileSync(file, JSON.stringify({ data, control: true, groups }))
      let { process, members } = await startFleet(t, host, data, file)
      const [bad, good] = [members[0]!.url, members[1]!.url]
      t.equal((await ask('GET', bad + system)).status, 503)
      t.equal((await ask('GET', good + system)).status, 200)
      await t.rejects(ask('GET', `${bad}Chassis/1/`), 'the connection ends in the middle of the answer')
      const from = performance.now()
      t.equal((await ask('GET', `${bad}Managers/`)).status, 200)
      t.ok(performance.now() - from > 50, 'an answer comes slowly')
      const off = { ResetType: 'ForceOff' }
      t.equal((await ask('POST', `${bad}${system}Actions/ComputerSystem.Reset/`, off)).status, 200)

      for (let round = 0; round < 3; round++) t.equal((await ask('GET', `${good}Chassis/1/`)).status, 200)
      const rules = { Rules: [{ path: '/redfish/v1/Chassis*', status: 500 }] }
      t.equal((await ask('PATCH', `${good}Oem/Vendor/Faults/`, rules)).status, 200)
      t.equal((await ask('GET', `${good}Chassis/1/`)).status, 500, 'also what was asked before')
      const control = `${bad}Oem/Vendor/Faults/`
      t.same((await ask('GET', control)).json.Rules, faults)
      t.equal((await ask('PATCH', control, { Rules: [{ statuss: 503 }] })).status, 400)
      t.equal((await ask('PATCH', control, { Rules: [{ status: 200 }] })).status, 400)
      t.equal((await ask('POST', control, {})).status, 405)
      t.equal((await ask('PATCH', control, { Rules: [] })).status, 200)
      let state = 'PoweringOff'
      while (state === 'PoweringOff') state = (await ask('GET', bad + system)).json.PowerState
      t.equal(state, 'On', 'its power is stuck')
      await process.kill('SIGKILL')
      ;({ process, members } = await startFleet(t, host, data, file))
      t.equal((await ask('GET', members[0]!.url + system)).status, 200, 'and stays so')
      const anonymous = await request(`${members[0]!.url}Oem/Vendor/Faults/`, {
        dispatcher: new Agent({ connect: { rejectUnauthorized: false } })
      })
      t.equal(anonymous.statusCode, 401)
      t.equal((await process.kill('SIGTERM')).status, 0)
      writeFileSync(file, JSON.stringify({ data, groups }))
      ;({ process, members } = await startFleet(t, host, data, file))
      t.equal((await ask('GET', `${members[1]!.url}Oem/Vendor/Faults/`)).status, 404, 'off unless it is asked for')
    })

    t.test('faults delay answers, refuse with Retry-After, and expire sessions', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const faults = [
        { path: '/redfish/v1/Chassis', delay: 3600 },
        { path: '/redfish/v1/Managers', delay: 0.01, jitter: 0.01 },
        { path: '/redfish/v1/Systems', status: 503, retryAfter: 7 },
        { path: '/redfish/v1/Systems/1', expireSession: true }
      ]
      writeFileSync(file, JSON.stringify({ data, groups: [{ count: 1, network: '127.25.2.0/24', port: 0, faults }] }))
      const { members } = await startFleet(t, host, data, file)
      const { url } = members[0]!
      const waiting = ask('GET', `${url}Chassis/`).then(
        () => 'answered',
        () => 'cut off'
      )
      t.equal((await ask('GET', `${url}Managers/`)).status, 200)
      t.equal(await Promise.race([waiting, 'waiting']), 'waiting')
      const refused = await ask('GET', `${url}Systems/`)
      t.match(refused, { status: 503, headers: { 'retry-after': '7' } })
      const { headers } = await ask('POST', `${url}SessionService/Sessions/`, { UserName: 'admin', Password: password })
      const token = { authorization: undefined, 'x-auth-token': headers['x-auth-token'] }
      t.equal((await ask('GET', `${url}SessionService/Sessions/`, undefined, token)).status, 200)
      t.equal((await ask('GET', url + system, undefined, token)).status, 401)
      t.equal((await ask('GET', url + system)).status, 200, 'a password does not expire')
    })

    t.test('quirks of other makers are in answers and taken in requests', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const quirks = ['NoTrailingSlash', 'NoETag', 'NoContentForOk']
      const groups = [{ count: 1, network: '127.25.3.0/24', port: 0, faults: [{ quirks, missing: ['AssetTag'] }] }]
      writeFileSync(file, JSON.stringify({ data, groups }))
      const { members } = await startFleet(t, host, data, file)
      const { url } = members[0]!
      const { json, headers } = await ask('GET', `${url}Systems/1`)
      t.equal(headers.etag, undefined)
      t.notMatch(JSON.stringify(json), /"\/redfish[^"]*\/"|@odata\.etag|"AssetTag":/)
      const { target } = json.Actions['#ComputerSystem.Reset']
      const reset = await ask('POST', new URL(target, url).href, { ResetType: 'ForceRestart' })
      t.match(reset, { status: 204, headers: { 'content-length': undefined }, json: undefined })
      t.equal((await ask('PATCH', `${url}Systems/1`, { AssetTag: 'rack' })).status, 204)
      const login = await ask('POST', `${url}SessionService/Sessions`, { UserName: 'admin', Password: password })
      t.match(login, { status: 201, headers: { location: /^\/redfish.*[^/]$/ } })
      t.equal((await ask('DELETE', new URL(login.headers.location as string, url).href)).status, 204)
    })

    t.test(
      'faults of one controller and of its devices are in the file, and an administrator changes them',
      async (t) => {
        const data = directory(t)
        const ask = client(t)
        const file = join(data, 'fleet.json')
        const stuck = { power: { faults: { stuckOn: true } } }
        const controllers = { 2: { faults: [{ path: '/redfish/v1/Chassis*', status: 500 }], devices: stuck } }
        const groups = [{ count: 2, network: '127.25.4.0/24', port: 0, devices: { power: { offTime: 0 } } }]
        writeFileSync(file, JSON.stringify({ data, control: true, controllers, groups }))
        let { process, members } = await startFleet(t, host, data, file)
        const at = (number: number) => members[number - 1]!.url
        const off = { ResetType: 'ForceOff' }
        const switchedOff = async (number: number) => {
          t.equal((await ask('POST', `${at(number)}${system}Actions/ComputerSystem.Reset/`, off)).status, 200)
          let state = 'PoweringOff'
          while (state === 'PoweringOff') state = (await ask('GET', at(number) + system)).json.PowerState
          return state
        }
        t.equal((await ask('GET', `${at(1)}Chassis/1/`)).status, 200)
        t.equal((await ask('GET', `${at(2)}Chassis/1/`)).status, 500)
        t.equal(await switchedOff(1), 'Off')
        t.equal(await switchedOff(2), 'On')

        const { json: root } = await ask('GET', at(2))
        const control = new URL(root.Oem.Vendor.Faults['@odata.id'], at(2)).href
        t.match(await ask('GET', `${at(2)}?$select=Name`), { status: 200, json: { Oem: undefined } })
        t.match(await ask('GET', control), {
          status: 200,
          json: { '@odata.type': '#VendorFaults.v1_0_0.VendorFaults', Rules: controllers[2].faults, Devices: stuck }
        })
        const change = (Devices: object) => ask('PATCH', control, { Devices })
        t.equal((await change({ power: { faults: { stuckOff: true } } })).status, 400)
        t.equal((await change({ power: { offTime: 1 } })).status, 400, 'only faults change while it runs')
        t.equal((await change({ tape: { faults: {} } })).status, 400)
        t.equal(
          (await change({ power: { faults: { slow: 1 } }, sensors: { faults: { stuckAt: { 2: 99 } } } })).status,
          200
        )
        t.equal(await switchedOff(2), 'Off')
        const celsius = async () => (await ask('GET', `${at(2)}Chassis/1/Thermal/`)).json
        t.equal((await ask('PATCH', control, { Rules: [] })).status, 200)
        let readings = ''
        while (!readings.includes('"ReadingCelsius":99')) readings = JSON.stringify(await celsius())
        t.equal((await change({ sensors: { faults: { stale: true } } })).status, 200)
        t.match(JSON.stringify(await celsius()), '"ReadingCelsius":99')
        await process.kill('SIGKILL')
        ;({ process, members } = await startFleet(t, host, data, file))
        const { Devices } = (await ask('GET', control.replace(/^https:..[^/]*/, new URL(at(2)).origin))).json
        t.same(Devices, { power: { faults: { slow: 1 } }, sensors: { faults: { stale: true } } })
        readings = ''
        while (!readings.includes('"ReadingCelsius":')) readings = JSON.stringify(await celsius())
        t.match(readings, '"ReadingCelsius":99', 'they stay stale')
        t.equal((await process.kill('SIGTERM')).status, 0)
        t.strictSame(
          process.stderr.filter((line) => line.includes('"error"')),
          []
        )
      }
    )

    t.test('a controller reboots when it is due: it closes connections and starts again', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const faults = [{ path: '/redfish/v1/Systems/1', after: 1, times: 1, reboot: 1 }]
      const groups = [
        { count: 1, network: '127.25.0.0/24', port: 0, faults },
        { count: 1, network: '127.25.1.0/24', port: 0, faults: [{ path: '/redfish/v1/Chassis*', reboot: 3600 }] }
      ]
      writeFileSync(file, JSON.stringify({ data, groups }))
      const { process, members } = await startFleet(t, host, data, file)
      const [url = '', gone = ''] = members.map((member) => member.url)
      const login = { UserName: 'admin', Password: password }
      t.equal((await ask('POST', `${url}SessionService/Sessions/`, login)).status, 201)
      t.equal((await ask('GET', url + system)).status, 200)
      const starts = async () => {
        const { json } = await ask('GET', `${url}Managers/1/LogServices/EventLog/Entries/?$expand=.`)
        return json.Members.filter((entry: Json) => entry.MessageId.endsWith('ControllerStarted')).length
      }
      t.equal(await starts(), 1)
      await t.rejects(ask('GET', url + system), 'the second such request is the one')
      let back: Json
      while (back === undefined) back = await ask('GET', url + system).catch(() => undefined)
      t.equal(back.status, 200)
      t.equal(await starts(), 2)
      t.equal(
        (await ask('GET', `${url}SessionService/Sessions/`)).json['Members@odata.count'],
        1,
        'sessions are durable'
      )
      t.equal((await ask('GET', url + system)).status, 200, 'once')
      t.equal((await ask('GET', gone + system)).status, 200)
      await t.rejects(ask('GET', `${gone}Chassis/1/`))
      await t.rejects(ask('GET', gone + system), 'it is unreachable')
      await t.rejects(ask('PATCH', gone + system, { AssetTag: 'rack' }))
      t.equal((await ask('GET', url + system)).status, 200, 'but the others are')
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('a scenario puts faults on at its time, and a reset takes as long as the file says', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const rules = [{ path: '/redfish/v1/Chassis*', type: 'Chassis', replace: { '/Status/Health': 'Warning' } }]
      const scenario = [{ at: '00:01', controllers: [2], addFaults: { rules } }]
      const groups = [{ count: 2, network: '127.25.5.0/24', port: 0, absence: { reset: 3600 } }]
      writeFileSync(file, JSON.stringify({ data, control: true, speed: 1200, scenario, groups }))
      const { members, process } = await startFleet(t, host, data, file)
      const [one = '', two = ''] = members.map(({ url }) => url)
      const health = async (url: string) => (await ask('GET', `${url}Chassis/1/`)).json.Status.Health
      while ((await health(two)) !== 'Warning') await pause(10)
      t.equal(await health(one), 'OK')
      t.match((await ask('GET', `${two}Oem/Vendor/Faults/`)).json.Rules, rules)
      const reset = await ask('POST', `${one}Managers/1/Actions/Manager.Reset/`, { ResetType: 'ForceRestart' })
      t.equal(reset.status, 200)
      const isThere = () => ask('GET', one).then(Boolean, () => false)
      while (await isThere());
      while (!(await isThere())) await pause(10)
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('servers of a rack go down with their power shelf, and come back', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'fleet.json')
      const racks = [
        { name: 'A{n}', count: 2, network: '127.25.6.0/24', port: 0, servers: [{ count: 2 }], powerShelves: 1 }
      ]
      writeFileSync(file, JSON.stringify({ data, control: true, racks }))
      const { members, process } = await startFleet(t, host, data, file)
      t.match(members[3], { kind: 'Server', rack: 'A2', unit: 2 })
      t.match(members[4], { kind: 'PowerShelf', rack: 'A1' })
      const [one = '', , other = '', , shelf = ''] = members.map(({ url }) => url)
      const state = (url: string) =>
        ask('GET', `${url}${system}`).then(
          ({ json }) => json.PowerState,
          () => 'gone'
        )
      t.equal(await state(one), 'On')
      const failing = (parts: object) =>
        ask('PATCH', `${shelf}Oem/Vendor/Faults/`, { Devices: { sensors: { faults: { parts } } } })
      t.equal((await failing({ powerSupplies: 'failed' })).status, 200)
      t.equal(await state(one), 'gone')
      t.equal(await state(other), 'On', 'that of the other rack is not')
      const power = await ask('GET', `${shelf}PowerEquipment/PowerShelves/1/Metrics/`)
      t.equal(power.json.PowerWatts.Reading, 0)
      t.equal((await failing({})).status, 200)
      while ((await state(one)) !== 'On') await pause(10)
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('an inventory says where controllers are, who they are, and which rack they are in', async (t) => {
      const data = directory(t)
      const ask = client(t)
      const file = join(data, 'devices.csv')
      const rows = [
        'Name,Status,Rack,Position,Role,Serial number,Asset tag,OOB IP',
        'node-a.example,Active,A1,12.0,Compute,SN12,T12,127.25.7.12/24',
        'node-b.example,Planned,A1,13.0,Compute,SN13,T13,',
        'node-c.example,Active,A1,3.0,Compute,SN3,,127.25.7.3/24',
        'manager,Active,A1,1.0,Chassis manager,,,127.25.7.1/24'
      ]
      writeFileSync(file, rows.join('\r\n'))
      const port = String(await freePort())
      const { members, process } = await startFleet(t, host, data, '--inventory', file, '--port', port, '--data', data)
      const at = (address: string) => `https://${address}:${port}/redfish/v1/`
      t.match(members, [
        { url: at('127.25.7.12'), hostName: 'node-a', serialNumber: 'SN12', rack: 'A1', unit: 12 },
        { url: at('127.25.7.3'), hostName: 'node-c', serialNumber: 'SN3', rack: 'A1', unit: 3 },
        { url: at('127.25.7.1'), hostName: 'manager', kind: 'ChassisManager', rack: 'A1' }
      ])
      t.equal(members.length, 3)
      for (const { url, serialNumber } of members.slice(0, 2))
        t.equal((await ask('GET', `${url}${system}`)).json.SerialNumber, serialNumber)
      t.equal((await ask('GET', `${members[0]!.url}${system}`)).json.AssetTag, 'T12')
      const listed = await ask('GET', `${members[2]!.url}Chassis/Server2/`)
      t.match(listed.json, { Name: 'node-c', Location: { Placement: { Rack: 'A1', RackOffset: 3 } } })
      t.equal((await process.kill('SIGTERM')).status, 0)
      const other = join(data, 'other.csv')
      writeFileSync(other, 'name,address\na,127.25.7.1\nb,192.0.2.1\n')
      const { said } = await refusal(host, '--inventory', other, '--port', '8443', '--data', directory(t))
      t.match(
        said,
        /other.csv:3: 192.0.2.1:8443 is not an address of this machine: ip route add local 192.0.2.1 dev lo/
      )
    })

    t.test('a port each takes as many descriptors as the kernel gives', async (t) => {
      const command = ['bash', '-c', 'ulimit -S -n 300; exec "$0" "$@"', ...host.command] as const
      const args = ['fleet', '--count', '400', '--port', '0', '--address', '127.0.0.1', '--data', directory(t)]
      const process = new Process({ ...host, command }, args, { MINNOW_ADMIN_PASSWORD: password })
      t.teardown(() => process.kill('SIGKILL'))
      t.match(await process.ready(), /fleet of 400 listening/)
      const { stderr } = await process.kill('SIGTERM')
      t.notMatch(stderr.join(), /[Ww]arning/)
    })

    t.test('an impossible fleet is refused in one line', async (t) => {
      const data = directory(t)
      const command = ['bash', '-c', 'ulimit -n 300; exec "$0" "$@"', ...host.command] as const
      const limited = await refusal({ ...host, command }, '--count', '400', '--port', '20000', '--data', data)
      const cases: [Awaited<ReturnType<typeof refusal>>, RegExp][] = [
        [
          limited,
          /400 listeners need as many descriptors, and the limit is 300: raise it with ulimit -n, or let a network/
        ],
        [await refusal(host), /needs --count, --inventory or a file/],
        [await refusal(host, '--count', '2', '--board', 'none', '--data', data), /there is no board none/],
        [
          await refusal(host, '--count', '2', '--board', 'openbmc', '--data', data),
          /a fleet is of simulated and virtual/
        ]
      ]
      for (const [{ status, said }, expected] of cases) {
        t.equal(status, 2, String(expected))
        t.match(said, expected)
        t.equal(said.split('\n').length, 1)
      }
    })

    t.test('a refusal names the line and the group of the file', async (t) => {
      const data = directory(t)
      const file = join(data, 'fleet.json')
      writeFileSync(join(data, 'mine.json'), '{\n "resources": {\n  "/redfish/v1/": { "Name": "x"\n')
      const refused = async (...groups: object[]) => {
        writeFileSync(file, JSON.stringify({ data, groups }, undefined, 1))
        const { status, said } = await refusal(host, file)
        t.match(status, /[12]/)
        return said.replaceAll(data, 'D')
      }
      const unrouted = await refused(
        { count: 1, network: '127.26.0.0/24', port: 0 },
        { count: 2, network: '192.0.2.0/24' }
      )
      t.match(unrouted, 'minnow: D/fleet.json:9: groups.1: 192.0.2.1:8443 is not an address of this machine: ')
      t.match(unrouted, /: ip route add local 192\.0\.2\.0\/24 dev lo$/)
      t.equal(
        await refused({ count: 1, network: '127.26.0.0/24', board: join(data, 'mine.json') }),
        'minnow: D/fleet.json:7: groups.0.board: board D/mine.json: it is incomplete, and ends in line 3'
      )
      t.match(
        await refused({ count: 2, network: '127.26.0.0/24', devices: { power: { speed: 1 } } }),
        /^minnow: D\/fleet.json:7: groups\.0\.devices: /
      )
    })

    t.test('two fleets do not share a data directory, nor an address and a port', async (t) => {
      const data = directory(t)
      const port = String(await freePort())
      const args = ['--count', '2', '--network', '127.22.0.0/24', '--port', port, '--data']
      await startFleet(t, host, data, ...args, data)
      const locked = await refusal(host, '--count', '2', '--network', '127.22.0.0/24', '--port', '0', '--data', data)
      t.match(locked, { status: 1, said: /is in use by another process/ })
      const taken = await refusal(host, ...args, directory(t))
      t.match(taken.said, /:\d+ is in use/)
      t.equal(taken.status, 1)
      const [other, all] = [directory(t), directory(t)]
      const beside = await startFleet(
        t,
        host,
        other,
        '--count',
        '2',
        '--network',
        '127.22.1.0/24',
        '--port',
        port,
        '--data',
        other
      )
      t.match(beside.line, /fleet of 2 listening on https:\/\/127\.22\.1\.1:/, 'in another network')
      t.equal((await client(t)('GET', beside.members[1]!.url + system)).status, 200)
      const wide = ['--count', '2', '--network', '127.22.2.0/24', '--address', '0.0.0.0', '--port', '0']
      const { members } = await startFleet(t, host, all, ...wide, '--data', all)
      const ask = client(t)
      t.equal((await ask('GET', members[1]!.url + system)).json.SerialNumber, members[1]!.serialNumber)
      t.equal((await ask('GET', members[1]!.url.replace('127.22.2.2', '127.22.2.3') + system)).status, 421)
    })
  })
}

const flashed = hosts.find(({ name }) => name === 'ARMv7')!
needing('what is flashed knows no fleet', flashed.missing, async (t) => {
  t.match(await refusal(flashed, '--count', '1'), { status: 2, said: /unknown option fleet/ })
})
