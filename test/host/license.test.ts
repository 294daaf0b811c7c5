import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import nacl from 'tweetnacl'
import { licenseKey } from './authority.ts'
import { onBothHosts } from './every-host.ts'
import { basic, directory, type Json, type Response, type Server, start } from './server.ts'

const licenses = '/redfish/v1/Managers/1/LicenseService'
const license = `${licenses}/1`

const outcome = ({ status, json }: Response) => [
  status,
  ...json.error['@Message.ExtendedInfo'].map((each: Json) => each.MessageId.split('.').at(-1))
]

const install = (server: Server, LicenseKey: unknown) => server.post(licenses, { LicenseKey })

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

onBothHosts(async (t, host) => {
  const serial: string = JSON.parse(readFileSync('data/boards/sim.json', 'utf8')).systems['1'].serialNumber

  t.test('a key that npm run license makes is installed, shown, replaced and removed', async (t) => {
    const server = await start(t, host)
    const only = async () => (await server.get(`${licenses}/?only`)).json
    t.match(await only(), { LicenseClass: null, Features: [], Status: { State: 'Absent' } })
    t.same(outcome(await server.delete(license)), [409, 'ResourceCannotBeDeleted'])
    const key = licenseKey('--class', 'Advanced', '--days', '30', '--serial', serial)
    t.same(outcome(await install(server, key)), [200, 'LicenseKeyInstalled'])
    const shown = await only()
    t.match(shown, {
      '@odata.id': `${license}/`,
      LicenseClass: 'Advanced',
      Features: ['CertificateLogin'],
      SerialNumber: serial,
      Status: { State: 'Enabled' }
    })
    t.notOk(JSON.stringify(shown).includes(key.slice(-20)), 'the key is not shown again')
    t.ok(Date.parse(shown.ExpirationDate) > Date.now())
    t.same(outcome(await server.patch(license, { LicenseKey: licenseKey('--class', 'Essentials') })), [
      200,
      'LicenseKeyInstalled'
    ])
    t.match(await only(), { LicenseClass: 'Essentials', Features: [], ExpirationDate: null })
    t.same(outcome(await server.delete(license)), [200, 'Success'])
    t.match(await only(), { LicenseClass: null })
    const log = (await server.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.&$top=100')).text
    for (const event of ['LicenseInstalled', 'LicenseRemoved']) t.ok(log.includes(event), event)
  })

  t.test('keys that are cut, changed, of another signer, for another system or over are refused', async (t) => {
    const server = await start(t, host)
    const key = licenseKey('--class', 'Essentials')
    const [header = '', claims = '', signature = ''] = key.split('.')
    const read = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const pair = nacl.sign.keyPair()
    const bytes = (each: Uint8Array) => Buffer.from(each).toString('base64url')
    const stranger = join(directory(t), 'board.json')
    const [x, d] = [bytes(pair.publicKey), bytes(pair.secretKey.slice(0, 32))]
    writeFileSync(stranger, JSON.stringify({ licenseKey: { kty: 'OKP', crv: 'Ed25519', x, d } }))
    const other = (digit: string | undefined) => (digit === 'A' ? 'B' : 'A')
    const bad = {
      empty: ' ',
      text: 'no license',
      cut: key.slice(0, -1),
      'cut in the claims': key.slice(0, 60),
      'without signature': `${header}.${claims}.`,
      'of another class': `${header}.${encode({ ...read, class: 'Advanced' })}.${signature}`,
      'with another signature': `${header}.${claims}.${other(signature[0])}${signature.slice(1)}`,
      'with another last digit': key.slice(0, -1) + other(key.at(-1)),
      'with padding': `${key}==`,
      'with a part too many': `${key}.${signature}`,
      unsigned: `${encode({ alg: 'none' })}.${claims}.`,
      'of another algorithm': `${encode({ alg: 'HS256' })}.${claims}.${signature}`,
      'of another signer': licenseKey('--board', stranger),
      'for another system': licenseKey('--serial', 'OTHER'),
      over: licenseKey('--days=-1')
    }
    for (const [what, text] of Object.entries(bad)) {
      t.same(outcome(await install(server, text)), [400, 'InvalidLicenseKey'], what)
    }
    t.same(outcome(await install(server, 7)), [400, 'PropertyValueTypeError'])
    t.same(outcome(await server.post(licenses, {})), [400, 'PropertyMissing'])
    t.same(outcome(await server.patch(license, { LicenseKey: null })), [400, 'PropertyValueError'])
    t.match((await server.get(`${license}/`)).json, { LicenseClass: null })
    t.same(outcome(await install(server, `${key}\n`)), [200, 'LicenseKeyInstalled'], 'white space around it is ignored')
    t.notOk(server.process.stderr.join('').includes(signature))
  })

  t.test('a license that has run out opens nothing', async (t) => {
    const server = await start(t, host)
    const login = '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication'
    const enable = () => server.patch(login, { CertificateLoginEnabled: true })
    t.same(outcome(await enable())[0], 403)
    // It ends soon, but not before it was installed and used: a slow host gets a longer one.
    let status = 403
    for (let seconds = 1; status === 403 && seconds < 200; seconds *= 2) {
      await install(server, licenseKey('--days', String(seconds / 86_400)))
      status = (await enable()).status
    }
    t.equal(status, 409, 'other things are missing, but not the license')
    const gone = await server.until(
      () => server.get(`${license}/`),
      ({ json }) => json.Status.State === 'Disabled'
    )
    t.same(gone.json.Features, [])
    t.same(outcome(await enable())[0], 403)
  })

  t.test('only who configures the controller installs licenses', async (t) => {
    const server = await start(t, host)
    const body = { UserName: 'operator', Password: 'Tin-Whistle-8', RoleId: 'Operator' }
    await server.post('/redfish/v1/AccountService/Accounts', body)
    const user = basic('operator', 'Tin-Whistle-8')
    t.equal((await server.get(`${license}/`, user)).status, 200)
    for (const method of ['PATCH', 'DELETE']) {
      const sent = method === 'PATCH' ? { LicenseKey: licenseKey() } : undefined
      t.equal((await server.request(method, license, user, sent)).status, 403, method)
    }
    t.equal((await server.post(licenses, { LicenseKey: licenseKey() }, user)).status, 403)
  })
})
