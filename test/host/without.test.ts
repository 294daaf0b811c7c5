// needs: dpkg-source
// own process: it builds a binary
import { execFileSync } from 'node:child_process'
import t, { type Test } from 'tap'
import { features } from '#runtime/build/features.mjs'
import { visitWithOpenssl } from '#test/embedded/openssl.ts'
import { Subscriber } from '#test/runtime/service/events/subscriber.ts'
import { makeSigner } from './certificates.ts'
import { needing } from './every-host.ts'
import { type Host, hosts } from './hosts.ts'
import { links } from './links.ts'
import { messagesOf } from './messages-of.ts'
import { partsOf } from './parts.ts'
import { Process } from './process.ts'
import { anonymous, directory, password, start } from './server.ts'

t.setTimeout(900_000)

const service = '/redfish/v1/AccountService/'
const full = hosts.find(({ name }) => name === 'x86-64')

needing('a binary without what can be left out', full?.missing, async (t) => {
  const out = 'dist/without'
  const words = ['build.mjs', '--out', out, '--binary', '--without', Object.keys(features).join()]
  execFileSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const host: Host = { name: 'x86-64 without features', slowness: 1, command: [`${out}/minnow-x86_64`] }

  t.test('serves all that it links to', async (t) => {
    const server = await start(t, host)
    const paths = new Set(['/redfish/v1/'])
    for (const path of paths) {
      const { status, json } = await server.get(path)
      t.equal(status, 200, path)
      for (const link of links(json)) paths.add(link)
    }
    t.ok(paths.size > 200, `${paths.size} resources`)
    for (const path of ['/page', '/redfish/v1/openapi.yaml'])
      t.match([(await server.get(path)).status, messagesOf(await server.get(path))], [404, [/ResourceMissingAtURI/]])
  })

  t.test('does what clients ask for', async (t) => {
    const server = await start(t, host)
    const { system } = await partsOf(server)
    const { token, location } = await server.login()
    const account = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    t.equal((await server.post(`${service}Accounts/`, account, token)).status, 201)
    t.equal((await server.patch(service, { AccountLockoutThreshold: 3 }, token)).status, 200)
    const { certificate: cert, key } = makeSigner(t, { subject: '/CN=s', extensions: ['subjectAltName=IP:127.0.0.1'] })
    const subscriber = await Subscriber.open(t, { key, cert })
    const Destination = subscriber.uri
    const VerifyCertificate = false
    const subscription = { Destination, VerifyCertificate }
    t.equal((await server.post('/redfish/v1/EventService/Subscriptions/', subscription, token)).status, 201)
    const reset = { ResetType: 'ForceRestart' }
    t.equal((await server.post(`${system}Actions/ComputerSystem.Reset/`, reset, token)).status, 200)
    t.match((await subscriber.next()).json, { '@odata.type': /^#Event\./ })
    t.equal((await server.delete(location, token)).status, 200)
    t.equal((await server.get(system, token)).status, 401)
  })

  t.test('has no certificate to enroll', async (t) => {
    const server = await start(t, host)
    const { json } = await server.get('/redfish/v1/CertificateService/')
    t.notOk('CertificateEnrollments' in json)
    const enrollments = '/redfish/v1/CertificateService/CertificateEnrollments/'
    for (const path of [enrollments, `${enrollments}HTTPS/`]) t.equal((await server.get(path)).status, 404)
    const renew = `${enrollments}HTTPS/Actions/Oem/Vendor/VendorCertificateEnrollment.Renew/`
    t.equal((await server.post(renew, {})).status, 404)
  })

  t.test('has no directories to set', async (t) => {
    const server = await start(t, host)
    const { json } = await server.get(service)
    t.notOk('LDAP' in json || 'ActiveDirectory' in json)
    const test = `${service}Actions/Oem/Vendor/VendorAccountService.TestDirectory/`
    t.notOk(JSON.stringify(json).includes('TestDirectory'))
    t.equal((await server.post(test, { Directory: 'LDAP' })).status, 404)
    for (const kind of ['LDAP', 'ActiveDirectory']) {
      const answer = await server.patch(service, { [kind]: { ServiceEnabled: true } })
      t.match([answer.status, messagesOf(answer)], [400, [`Base.PropertyUnknown(${kind})`]])
    }
  })

  t.test('lets local accounts log in that a directory had replaced', async (t) => {
    const data = directory(t)
    const before = await start(t, full!, { data })
    const LDAP = {
      ServiceEnabled: true,
      ServiceAddresses: ['ldaps://127.0.0.1:9'],
      LDAPService: { SearchSettings: { BaseDistinguishedNames: ['dc=example'] } },
      RemoteRoleMapping: [{ RemoteGroup: 'admins', LocalRole: 'Administrator' }]
    }
    t.equal((await before.patch(service, { LDAP, LocalAccountAuth: 'Disabled' })).status, 200)
    t.not((await before.get(service)).status, 200)
    await before.stop()
    const server = await start(t, host, { data })
    t.equal((await server.get(service)).status, 200)
  })

  t.test('agrees on X25519, also with those who prefer ML-KEM', async (t) => {
    const server = await start(t, host)
    const request = 'GET /redfish HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    t.match(await visitWithOpenssl(server.port, [], request), { group: 'X25519', served: true })
    t.match(await visitWithOpenssl(server.port, ['-groups', 'X25519MLKEM768'], request), { served: false })
    t.equal((await server.get('/redfish', anonymous)).status, 200)
  })

  for (const [args, sentence] of [
    [['fleet', 'top'], /^minnow: unknown option fleet /],
    [['record', 'https://127.0.0.1:9'], /^minnow: unknown option record /],
    [['schema', 'board'], /^minnow: this binary has no schemas of files$/],
    [['check', 'sim'], /^minnow: there is no board sim: this binary has none, name a file$/]
  ] as const) {
    t.test(`answers \`minnow ${args[0]}\` with a sentence`, async (t) => {
      await complains(t, host, args, sentence)
    })
  }
})

async function complains(t: Test, host: Host, args: readonly string[], sentence: RegExp): Promise<void> {
  const { status, stderr } = await new Process(host, [...args], { MINNOW_ADMIN_PASSWORD: password }).ended
  t.equal(status, 2)
  t.equal(stderr.length, 1)
  t.match(stderr[0], sentence)
}
