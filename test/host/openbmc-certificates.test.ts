import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { pamSocket } from '#test/openbmc/pam.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { Authority, serverExtensions } from './authority.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { directory, type Json, type Response, start } from './server.ts'

const manager = '/redfish/v1/Managers/1/'
const own = `${manager}NetworkProtocol/HTTPS/Certificates/1/`
const authentication = `${manager}SecurityService/CertificateAuthentication/`
const trusted = `${authentication}Certificates/`
const service = '/redfish/v1/CertificateService/Actions/CertificateService'
const certs = '/xyz/openbmc_project/certs'

async function started(t: Test, host: Host, installed?: string) {
  const folder = directory(t)
  const https = join(folder, 'server.pem')
  if (installed !== undefined) writeFileSync(https, installed)
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, { https })
  const helper = await pamSocket(t, ['sh', '-c', `cat ${https} 2>/dev/null || true`])
  const board = openbmcBoard(bus.socket)
  const certificates = { type: 'openbmc', socket: bus.socket, https: helper }
  const file = join(folder, 'board.json')
  const managers = { ...board.managers, 1: { ...board.managers[1], certificates } }
  writeFileSync(file, JSON.stringify({ ...board, managers }))
  const server = await start(t, host, { args: ['--board', file] })
  const is = (path: string, expected: (answer: { status: number; json: Json }) => boolean) =>
    server.until(() => server.get(path), expected)
  await is('/redfish/v1/Systems/1/', ({ json }) => json.PowerState !== null)
  const given = join(folder, 'given')
  const install = (path: string, text: string, member = 'Install') => {
    writeFileSync(given, text)
    const name = path.startsWith(`${certs}/server`) ? 'Server.Https' : 'Authority.Truststore'
    const called = [`xyz.openbmc_project.Certs.Manager.${name}`, path, `xyz.openbmc_project.Certs.${member}`, member]
    bus.busctl('call', ...called, 's', given)
  }
  /** Sends a request until the service has heard that the daemon is gone. */
  const away = (send: () => Promise<Response>) =>
    server.until(send, ({ status, text }) => status === 503 && text.includes('"MessageArgs":["60"]'))
  return { daemons, server, is, install, away }
}

/** The subject of the certificate that new connections get. */
function served(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    socket.on('error', reject)
    socket.on('secureConnect', () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
  })
}

const pair = (authority: Authority, name: string) => {
  const { key, cert } = authority.issue({ subject: `/CN=${name}`, extensions: serverExtensions })
  return key + cert
}

/** Waits for an event with a message. */
async function told(events: EventSource, key: RegExp): Promise<Json> {
  for (;;) {
    const event = (await events.next())?.data.Events[0] ?? {}
    if (key.test(event.MessageId)) return event
  }
}

onBothHosts(async (t, host) => {
  await t.test('HTTPS is served with the certificate of the machine, whoever installs it', async (t) => {
    const authority = new Authority(t, 'Servers')
    const { server, is, install, daemons, away } = await started(t, host, pair(authority, 'first'))
    const replace = (text: string) =>
      server.post(`${service}.ReplaceCertificate`, {
        CertificateString: text,
        CertificateType: 'PEM',
        CertificateUri: { '@odata.id': own }
      })
    const shows = (name: string) => is(own, ({ json }) => json.Subject.CommonName === name)
    t.equal(await served(server.port), 'first')
    await shows('first')
    const events = await EventSource.open(t, server)

    install(`${certs}/server/https/1`, pair(authority, 'second'), 'Replace')
    await shows('second')
    t.equal(await served(server.port), 'second', 'without a restart')
    t.match(await told(events, /ServerCertificateReplaced/), { MessageArgs: ['CN=second'] })

    const replaced = await replace(pair(authority, 'third'))
    t.equal(replaced.status, 200, replaced.text)
    t.equal(await served(server.port), 'third')
    const subject = `${certs}/server/https/1`
    t.match(await daemons.get(subject, 'Certs.Certificate', 'Subject'), /CN ?= ?third/)

    const made = await server.post(`${service}.GenerateCSR`, {
      CertificateCollection: { '@odata.id': own.slice(0, -2) },
      ...{ CommonName: 'fourth', Country: 'CH', State: 'Bern', City: 'Bern', Organization: 'Lab' },
      OrganizationalUnit: 'Racks'
    })
    t.equal(made.status, 200, made.text)
    const signed = await replace(authority.sign(made.json.CSRString, { extensions: serverExtensions }))
    t.equal(signed.status, 200, signed.text)
    t.equal(await served(server.port), 'fourth', 'with the key that the service made')
    t.match(await daemons.get(subject, 'Certs.Certificate', 'Subject'), /CN ?= ?fourth/)

    await daemons.fail(subject, 'Certs.Replace', 'Replace', 'Certs.Error.InvalidCertificate')
    const refused = await replace(pair(authority, 'fifth'))
    const reason = 'Mgmt.CertificateNotAccepted(the certificate manager refuses it)'
    t.same([refused.status, messagesOf(refused)], [400, [reason]])
    t.equal(await served(server.port), 'fourth')
    await daemons.kill('Certs.Manager.Server.Https')
    await away(() => replace(pair(authority, 'sixth')))
    t.equal(await served(server.port), 'fourth')
  })

  await t.test('without one the service makes its own, until there is one', async (t) => {
    const authority = new Authority(t, 'Servers')
    const { server, is, install } = await started(t, host)
    const before = await served(server.port)
    install(`${certs}/server/https`, pair(authority, 'first'))
    await is(own, ({ json }) => json.Subject.CommonName === 'first')
    t.equal(await served(server.port), 'first')
    const weak = authority.issue({ subject: '/CN=weak', newkey: ['rsa:512'] })
    install(`${certs}/server/https/1`, weak.key + weak.cert, 'Replace')
    await is(own, ({ json }) => json.Subject.CommonName === before)
    t.equal(await served(server.port), before, 'TLS cannot use the other one')
  })

  await t.test('authorities are those of the machine', async (t) => {
    const { server, is, install, daemons, away } = await started(t, host)
    const [one, two] = [new Authority(t, 'One'), new Authority(t, 'Two')]
    const members = async () => (await server.get(trusted)).json.Members as Json[]
    t.same(await members(), [])
    const events = await EventSource.open(t, server)
    install(`${certs}/authority/truststore`, one.cert)
    await is(trusted, ({ json }) => json.Members.length === 1)
    t.match(await told(events, /CACertificateImported/), { MessageArgs: ['CN=One'] })
    const [first] = await members()
    t.match((await server.get(first['@odata.id'])).json, { Subject: { CommonName: 'One' } })

    const path = `${authentication}Actions/VendorCertAuth.ImportCACertificate/`
    const imported = await server.post(path, { Certificate: two.cert })
    t.equal(imported.status, 200, imported.text)
    t.match(await daemons.get(`${certs}/authority/truststore/2`, 'Certs.Certificate', 'Subject'), /CN ?= ?Two/)
    t.equal((await members()).length, 2)
    t.equal((await server.delete(first['@odata.id'])).status, 200)
    t.match(await told(events, /CACertificateRemoved/), { MessageArgs: ['CN=One'] })
    await t.rejects(daemons.get(`${certs}/authority/truststore/1`, 'Certs.Certificate', 'Subject'))
    await daemons.set(`${certs}/authority/truststore/2`, 'Certs.Certificate', 'CertificateString', 'no certificate')
    await is(trusted, ({ json }) => json.Members.length === 0)
    t.match(await told(events, /CACertificateRemoved/), { MessageArgs: ['CN=Two'] }, 'one event for each')

    await daemons.kill('Certs.Manager.Authority.Truststore')
    await away(() => server.post(path, { Certificate: one.cert }))
  })
})
