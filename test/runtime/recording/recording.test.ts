import { writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { stored } from '#runtime/base/gzip.ts'
import { recordings } from '#runtime/recording/recordings.ts'
import { redacted } from '#runtime/recording/redaction/redact.ts'
import { boardOf } from '#runtime/recording/serving/board.ts'
import { certificate } from '#test/handlers/keys.ts'
import { password, simulated } from '#test/runtime/service.ts'
import { mockups, writeMockup } from './mockups.ts'
import { recorded } from './recorded.ts'
import { serve, until } from './served.ts'

const system = '/redfish/v1/Systems/System.Embedded.1'

const contoso = (t: Test) => serve(t, recorded(writeMockup(t.testdir(), 'contoso')).file)

/** A body without what is live in every service. */
function still({ '@odata.etag': _, ...body }: Record<string, unknown>, ...live: string[]) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !live.includes(name)))
}

t.test('each resource that is only recorded is served as it was, with and without a slash at its end', async (t) => {
  const { ask } = await contoso(t)
  for (const path of [
    `${system}/Processors/CPU.Socket.1`,
    `${system}/Processors`,
    '/redfish/v1/Chassis/System.Embedded.1/Power'
  ])
    for (const target of [path, `${path}/`]) {
      const { status, json } = await ask('GET', target)
      t.equal(status, 200, target)
      t.strictSame(still(json), mockups.contoso?.[path])
    }
})

t.test("a system shows the recorded values, the maker's own included, and its power is live", async (t) => {
  const { ask } = await contoso(t)
  const { json } = await ask('GET', system)
  const live = [
    'Actions',
    'Boot',
    'LogServices',
    'SecureBoot',
    'SerialConsole',
    'IndicatorLED',
    'LocationIndicatorActive',
    'Oem',
    'BootProgress',
    'Status'
  ]
  t.strictSame(still(json, ...live), still(mockups.contoso?.[system] ?? {}, ...live))
  t.strictSame(json.Oem, { Contoso: { LastBoot: '2024-02-29T12:00:00Z', IdracAddress: '198.18.0.1', Password: null } })
  t.equal(json.PowerState, 'Off', 'as it was')
  t.strictSame(json.Status, { State: 'StandbyOffline', Health: 'Warning' })
  t.equal((await ask('POST', json.Actions['#ComputerSystem.Reset'].target, { ResetType: 'On' })).status, 200)
  await until(async () => (await ask('GET', system)).json.PowerState === 'On')
  t.equal(
    (await ask('PATCH', system, { Boot: { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' } }))
      .status,
    200
  )
  t.equal((await ask('GET', `${system}/`)).json.Boot.BootSourceOverrideTarget, 'Pxe')
  t.strictSame((await ask('GET', system)).json.Boot.BootOrder, ['Boot0003'])
  const option = `${system}/BootOptions/NIC.PxeDevice.1-1`
  t.match((await ask('GET', option)).json, { Id: 'NIC.PxeDevice.1-1', DisplayName: 'PXE Device 1' })
  t.strictSame((await ask('GET', `${system}/BootOptions`)).json.Members, [{ '@odata.id': option }])
})

t.test('recorded keys are those of its secure boot, and a client can delete them', async (t) => {
  const { ask, restart } = await contoso(t)
  const secureBoot = `${system}/SecureBoot`
  const live = { SecureBootEnable: true, SecureBootCurrentBoot: 'Enabled', SecureBootMode: 'UserMode' }
  t.match((await ask('GET', secureBoot)).json, { ...live, Name: 'UEFI Secure Boot' })
  const db = `${secureBoot}/SecureBootDatabases/db`
  const [one, notTold] = mockups.contoso![`${db}/Certificates`]!.Members
  t.strictSame((await ask('GET', `${db}/Certificates`)).json.Members, [one, notTold])
  t.match((await ask('GET', one['@odata.id'])).json, {
    Id: 'StdSecbootpolicy.1',
    Subject: { CommonName: 'Image signing' }
  })
  const { json: denied } = await ask('GET', `${secureBoot}/SecureBootDatabases/dbxDefault/Signatures/1`)
  t.match(denied, { SignatureString: 'AB'.repeat(32), Id: '1' })
  t.equal((await ask('DELETE', one['@odata.id'])).status, 200)
  await restart()
  t.equal((await ask('GET', one['@odata.id'])).status, 404)
  t.strictSame((await ask('GET', `${db}/Certificates`)).json.Members, [notTold])
  t.equal((await ask('GET', notTold['@odata.id'])).status, 200)
  await ask('POST', `${db}/Certificates`, { CertificateString: certificate, CertificateType: 'PEM' })
  t.equal((await ask('GET', one['@odata.id'])).status, 200)
})

t.test('settings of the BIOS follow the recorded registry, and take effect when the host starts', async (t) => {
  const { ask, restart } = await contoso(t)
  t.strictSame((await ask('GET', `${system}/BIOS`)).json.Attributes, mockups.contoso?.[`${system}/BIOS`]?.Attributes)
  const pending = `${system}/BIOS/SD`
  t.equal((await ask('PATCH', pending, { Attributes: { BootMode: 'Uefi', NumLock: 'Maybe' } })).status, 200)
  await restart()
  t.match((await ask('GET', pending)).json.Attributes, { BootMode: 'Uefi' })
  await ask('POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: 'On' })
  await until(async () => (await ask('GET', `${system}/BIOS`)).json.Attributes.BootMode === 'Uefi')
  const bios = (await ask('GET', `${system}/BIOS`)).json
  t.match(bios.Attributes, { OldName: 'kept', NumLock: 'On' })
  t.match(JSON.stringify(bios['@Redfish.Settings'].Messages), 'Maybe', 'what the registry does not allow')
})

t.test('writable properties of a recorded resource are stored, and others are refused', async (t) => {
  const { ask, restart } = await contoso(t)
  const processor = `${system}/Processors/CPU.Socket.1`
  const before = (await ask('GET', processor)).tag
  t.equal(
    (await ask('PATCH', processor, { SpeedLimitMHz: 2000, ThrottlingPolicy: 'Rude' }, { 'if-match': before })).status,
    200
  )
  t.equal((await ask('PATCH', processor, { SpeedLimitMHz: 1 }, { 'if-match': before })).status, 412)
  await restart()
  t.match((await ask('GET', processor)).json, { SpeedLimitMHz: 2000, ThrottlingPolicy: 'Rude', Model: 'Turtle 9000' })
  for (const body of [{ Model: 'Hare' }, { ThrottlingPolicy: 'Vile' }, { SpeedLimitMHz: 'fast' }, { New: 1 }])
    t.equal((await ask('PATCH', processor, body)).status, 400, JSON.stringify(body))
  t.equal((await ask('DELETE', processor)).status, 405)
  t.equal((await ask('PATCH', `${system}/Processors`, { Name: 'x' })).status, 405)
  t.equal((await ask('POST', `${system}/Actions/Oem/Contoso.Dance`, {})).status, 404)
})

t.test('sessions, accounts, virtual media and logs are live, at the paths of the maker', async (t) => {
  const { ask } = await contoso(t)
  const root = (await ask('GET', '/redfish/v1/')).json
  t.match(root, {
    Vendor: 'Contoso',
    Oem: { Contoso: { ServiceTag: 'CT0SO42' } },
    Links: { Sessions: { '@odata.id': '/redfish/v1/Sessions' } }
  })
  const login = await ask(
    'POST',
    '/redfish/v1/Sessions',
    { UserName: 'admin', Password: password },
    { authorization: '' }
  )
  t.equal(login.status, 201)
  t.match((await ask('GET', '/redfish/v1/AccountService')).json, {
    Oem: { Contoso: { Directory: 'off' } },
    MinPasswordLength: Number
  })
  t.strictSame((await ask('GET', '/redfish/v1/AccountService/Accounts')).json.Members.length, 1)
  t.equal((await ask('GET', '/redfish/v1/AccountService/Accounts/17/')).status, 404)
  const media = '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia/CD'
  t.match((await ask('GET', media)).json, { Name: 'Virtual CD', Inserted: false, MediaTypes: ['CD', 'DVD'] })
  const manager = (await ask('GET', '/redfish/v1/Managers/CMC.Embedded.1')).json
  t.match(manager, { FirmwareVersion: '6.10.30.00', Model: '16G Flatbed' })
  const logs = (await ask('GET', manager.LogServices['@odata.id'])).json.Members
  t.strictSame(logs, mockups.contoso?.['/redfish/v1/Managers/CMC.Embedded.1/LogServices']?.Members)
  const entries = async (log: { '@odata.id': string }) => (await ask('GET', `${log['@odata.id']}/Entries`)).json.Members
  t.strictSame(await entries(logs[0]), [], 'of another kind')
  t.match((await entries(logs[1]))[0].MessageId, /ControllerStarted$/)
  t.equal((await ask('POST', `${logs[1]['@odata.id']}/Actions/LogService.ClearLog`, {})).status, 200)
  t.equal((await entries(logs[1])).length, 1)
  const port = (await ask('GET', '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces/NIC.1')).json
  t.notMatch(JSON.stringify(port), /10\.11\.12|0A:1B:2C/i)
})

t.test('$expand, $select and conditions work on recorded resources', async (t) => {
  const { ask } = await contoso(t)
  const expanded = await ask('GET', '/redfish/v1/Systems?$expand=.($levels=2)')
  t.equal(expanded.json.Members[0].Processors.Members[0]['@odata.id'], `${system}/Processors/CPU.Socket.1`)
  t.strictSame(
    still(
      (await ask('GET', `${system}/Processors/CPU.Socket.1?$select=Model`)).json,
      '@odata.id',
      '@odata.type',
      '@odata.context'
    ),
    { Model: 'Turtle 9000' }
  )
  const { tag } = await ask('GET', system)
  t.equal((await ask('GET', system, undefined, { 'if-none-match': tag })).status, 304)
  t.equal((await ask('GET', system, undefined, { authorization: '' })).status, 401)
})

t.test('slashes at the ends, types without a version and several systems are as they were', async (t) => {
  const { ask } = await serve(t, recorded(writeMockup(t.testdir(), 'fabrikam', '/redfish/v1')).file)
  t.equal((await ask('GET', '/redfish/v1/Systems/0/')).json['@odata.type'], '#ComputerSystem.ComputerSystem')
  t.equal((await ask('PATCH', '/redfish/v1/Systems/0/', { Oem: { Fab: { Nickname: 'null' } } })).status, 200)
  t.strictSame((await ask('GET', '/redfish/v1/Systems/0/')).json.Oem.Fab, {
    ...mockups.fabrikam!['/redfish/v1/Systems/0']!.Oem.Fab,
    Nickname: 'null'
  })
  t.equal((await ask('PATCH', '/redfish/v1/Systems/0/', { Oem: { Fab: { Fixed: 2 } } })).status, 400)
  t.equal((await ask('GET', '/redfish/v1/Chassis/Rack%20Mount/')).json.ChassisType, 'Rack')
  t.equal(
    (await ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceOff' })).status,
    200
  )
  await until(async () => (await ask('GET', '/redfish/v1/Systems/1/')).json.PowerState === 'Off')
  t.equal((await ask('GET', '/redfish/v1/Systems/0/')).json.PowerState, 'On')
})

t.test('a system and its reset may be at paths of their own', async (t) => {
  const { ask } = await serve(t, recorded(writeMockup(t.testdir(), 'litware')).file)
  const node = '/redfish/v1/Nodes/node%231'
  t.equal((await ask('POST', `${node}/Power.Reset`, { ResetType: 'ForceOff' })).status, 200)
  await until(async () => (await ask('GET', node)).json.PowerState === 'Off')
  t.strictSame((await ask('GET', node)).json.Oem, mockups.litware![node]!.Oem)
  t.equal((await ask('POST', '/redfish/v1/Logins', { UserName: 'admin', Password: password })).status, 201)
})

t.test("events and links of a system have the maker's path", async (t) => {
  const { ask, events } = await serve(t, recorded(writeMockup(t.testdir(), 'litware')).file)
  const node = '/redfish/v1/Nodes/node%231'
  const about = { OriginResources: [{ '@odata.id': node }], Context: '' }
  const subscription = { Destination: 'https://192.0.2.1/', Protocol: 'Redfish', ...about }
  t.equal((await ask('POST', '/redfish/v1/EventService/Subscriptions/', subscription)).status, 201)
  t.equal((await ask('POST', `${node}/Power.Reset`, { ResetType: 'ForceOff' })).status, 200)
  await until(async () => events().some(({ messageId }) => messageId.endsWith('ServerPoweredOff')))
  const origins = events().filter(({ messageId }) => /Power/.test(messageId))
  t.ok(origins.length > 0)
  for (const { origin, to } of origins) t.match({ origin, to }, { origin: node, to: [String] })
  for (const { origin } of events()) t.equal((await ask('GET', `${origin}/`)).status, 200, origin)

  const links = new Set(['/redfish/v1/'])
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const each of Object.values(value)) look(each)
    const { '@odata.id': link, target } = value as Record<string, unknown>
    for (const each of [link, target]) if (typeof each === 'string') links.add(each)
  }
  for (const link of links) {
    if (/JsonSchemas|Registries/.test(link)) continue
    const { status, json } = await ask('GET', link)
    t.ok(status === 200 || status === 405 || (status === 308 && !link.endsWith('/')), `${link}: ${status}`)
    if (status === 308) links.add(`${link}/`)
    look(json)
  }
  const own = [...links].filter((link) =>
    /^\/redfish\/v1\/(Systems(\/node%231)?|SessionService\/Sessions)\/?$/.test(link)
  )
  t.strictSame(own, [], 'and nothing leads to where the service has them')
  const { Entries } = (await ask('GET', [...links].find((link) => /node%231\/LogServices\/[^/]+\/$/.test(link))!)).json
  t.match((await ask('GET', `${Entries['@odata.id']}?$expand=.`)).text, /ServerPoweredOff/)
})

t.test('no secret and no address gets into a recording, and the same address becomes the same', async (t) => {
  const plain = JSON.stringify(recorded(writeMockup(t.testdir(), 'contoso')).file.resources)
  for (const taken of ['hunter2', '10.11.12.13', '3C:EC:EF:0A:1B:2C', 'erika']) t.notOk(plain.includes(taken), taken)
  t.equal(plain.split('198.18.0.1').length, 3)
  t.ok(plain.includes('10.20.30.40') && plain.includes('6.10.30.00'), 'versions are no addresses')
  const less = JSON.stringify(recorded(writeMockup(t.testdir(), 'contoso'), { redact: true }).file)
  for (const taken of ['CN7475167B0042', '4c4c4544', 'shelf 3', 'db7.example.net', 'CT0SO42', 'erika'])
    t.notOk(less.includes(taken), taken)
})

t.test('an address becomes one of its own kind, and the name of a drive stays', async (t) => {
  const given = {
    mac: '3C:EC:EF:0A:1B:2C',
    wwn: '50:00:C5:00:A1:B2:C3:D4',
    again: 'MAC(3CECEF0A1B2C,0x1)',
    local: 'fe80::3eec:efff:fe0a:1b2c',
    long: '2620:0:1:2:3:4:5:6',
    time: '12:30:15'
  }
  t.same(Object.fromEntries(redacted(new Map([['/redfish/v1', given]]), false)), {
    '/redfish/v1': {
      mac: '02:00:00:00:00:01',
      wwn: '50:00:C5:00:A1:B2:C3:D4',
      again: 'MAC(020000000001,0x1)',
      local: '2001:db8::1',
      long: '2001:db8::2',
      time: '12:30:15'
    }
  })
})

t.test('files that are no resources are named, and the others recorded', async (t) => {
  const folder = writeMockup(t.testdir(), 'contoso')
  writeFileSync(`${folder}/redfish/v1/Chassis/index.json`, '{"Members": [')
  const { said, file } = recorded(folder)
  t.match(said, [/Chassis\/index\.json: /])
  t.equal(Object.keys(file.chassis).length, 0)
  t.throws(() => recorded(folder, { most: 5 }), /more than 5 resources/)
  t.throws(() => recorded(t.testdir()), /no service root/)
})

t.test('a recorded board takes devices and keys of another board, and nothing else', async (t) => {
  const pattern = { ...(sim as Board), $schema: './board.schema.json' }
  const board = boardOf(new Map(Object.entries(mockups.contoso!)), pattern, 'recorded')
  t.same(board.licenseKey, sim.licenseKey)
  t.notOk('$schema' in board)
})

t.test('a malformed recording is refused', async (t) => {
  const { parts } = simulated(t.testdir())
  for (const [resources, cause] of [
    [[], /not an object/],
    [{ '/redfish/v1/A': 7 }, /is not an object/],
    [{ '/etc/passwd': {} }, /is not a path/],
    [{ '/redfish/v1/A\r\nB': {} }, /is not a path/]
  ] as const)
    t.throws(() => recordings.read({ resources }, parts), cause)
})

t.test('loops, hostile names and 100,000 resources are served', async (t) => {
  const { file } = recorded(writeMockup(t.testdir(), 'contoso'))
  const at = (n: number) => `/redfish/v1/Oem/${n}`
  for (let n = 0; n < 100_000; n++)
    file.resources[at(n)] = { '@odata.id': at(n), Next: { '@odata.id': at((n + 1) % 100_000) } }
  const hostile = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{}},"toString":"\\u0000\\ud800","@Redfish.WriteableProperties":["__proto__"]}'
  )
  file.resources['/redfish/v1/Oem/hostile'] = hostile
  file.resources[`${system}`].__proto__x = hostile
  const { ask } = await serve(t, file)
  t.equal((await ask('GET', at(99_999))).json.Next['@odata.id'], at(0))
  t.equal((await ask('GET', `${at(7)}?$expand=*($levels=6)`)).status, 200)
  t.equal((await ask('GET', '/redfish/v1/Oem/hostile')).status, 200)
  t.equal(
    (await ask('PATCH', '/redfish/v1/Oem/hostile', JSON.parse('{"__proto__":{"polluted":2}}'))).status < 500,
    true
  )
  t.equal(({} as { polluted?: number }).polluted, undefined)
})

t.test('files of any size are packed without being compressed', async (t) => {
  for (const size of [0, 1, 65_535, 65_536, 200_000]) {
    const bytes = new Uint8Array(size).map((_, index) => index % 251)
    t.ok(Buffer.from(gunzipSync(stored(bytes))).equals(bytes), `${size} bytes`)
  }
})

t.test('a chassis has the asset tag that was recorded, until a client sets another one', async (t) => {
  const { ask } = await serve(t, recorded(writeMockup(t.testdir(), 'contoso')).file)
  const path = '/redfish/v1/Chassis/System.Embedded.1'
  t.equal((await ask('GET', path)).json.AssetTag, 'rack 12')
  t.equal((await ask('PATCH', path, { AssetTag: 'rack 7' })).status, 200)
  t.equal((await ask('GET', path)).json.AssetTag, 'rack 7')
})

t.test('a system may have a name that objects have a meaning for', async (t) => {
  const text = JSON.stringify(recorded(writeMockup(t.testdir(), 'contoso')).file)
  for (const id of ['__proto__', 'constructor', 'toString']) {
    const path = `/redfish/v1/Systems/${id}`
    const { ask } = await serve(t, JSON.parse(text.replaceAll('System.Embedded.1', id)))
    t.match(await ask('GET', path), { status: 200, json: { Id: id, PowerState: 'Off' } }, id)
    t.match((await ask('GET', '/redfish/v1/Systems')).json.Members, [{ '@odata.id': path }])
    t.equal((await ask('GET', path)).json.AssetTag, mockups.contoso?.[system]?.AssetTag)
    t.equal((await ask('PATCH', path, { AssetTag: '' })).status, 200)
    t.equal((await ask('GET', path)).json.AssetTag, '', 'a client may remove it')
  }
})
