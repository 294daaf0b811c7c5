import { Resolver } from 'node:dns/promises'
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { onEveryHost } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { ask, listener } from './multicast.ts'
import { basic, directory, type Json, password, type Server, start } from './server.ts'

const drive = '/redfish/v1/Managers/1/VirtualMedia/2/'
const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
const storage = '/redfish/v1/Systems/1/Storage/slot3/'
const image = 'https://files.example/boot.iso'
const success = ['Base.Success()']

onEveryHost(async (t, host) => {
  const server = await start(t, host)

  t.test('an image is inserted and ejected, in the standard way and in the vendor’s', async (t) => {
    for (const [insert, eject] of [
      ['VirtualMedia.InsertMedia', 'VirtualMedia.EjectMedia'],
      ['Oem/Vendor/VendorMedia.InsertVirtualMedia', 'Oem/Vendor/VendorMedia.EjectVirtualMedia']
    ]) {
      const inserted = await server.post(`${drive}Actions/${insert}/`, { Image: image })
      t.same([inserted.status, messagesOf(inserted)], [200, success])
      t.match((await server.get(drive)).json, { Image: image, Inserted: true, ConnectedVia: 'URI' })
      const again = await server.post(`${drive}Actions/${insert}/`, { Image: image })
      t.same([again.status, messagesOf(again)], [409, ['Base.ResourceInUse()']])
      const ejected = await server.post(`${drive}Actions/${eject}/`, {})
      t.same([ejected.status, messagesOf(ejected)], [200, success])
      t.match((await server.get(drive)).json, { Image: null, Inserted: false, ConnectedVia: 'NotConnected' })
      t.equal((await server.post(`${drive}Actions/${eject}/`, {})).status, 409)
    }
  })

  t.test('an image is inserted and ejected by a PATCH, and booted from once', async (t) => {
    const Oem = { Vendor: { BootOnNextServerReset: true } }
    const inserted = await server.patch(drive, { Image: image, Inserted: true, Oem })
    t.same([inserted.status, messagesOf(inserted)], [200, success])
    t.match((await server.get(drive)).json, { Image: image, Inserted: true, Oem })
    const { Boot } = (await server.get('/redfish/v1/Systems/1/')).json
    t.match(Boot, { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' })
    Oem.Vendor.BootOnNextServerReset = false
    t.equal((await server.patch(drive, { Image: null, Inserted: false, Oem })).status, 200)
    t.match((await server.get(drive)).json, { Image: null, Inserted: false, Oem })
    const bad = await server.patch(drive, { Image: 'boot.iso' })
    t.same([bad.status, messagesOf(bad)], [400, ['Base.PropertyValueFormatError(boot.iso, Image)']])
    const streamed = { Image: image, TransferMethod: 'Stream' }
    t.equal((await server.post(`${drive}Actions/VirtualMedia.InsertMedia/`, streamed)).status, 200)
    t.equal((await server.get(drive)).json.TransferMethod, 'Stream')
    t.equal((await server.patch(drive, { Inserted: false })).status, 200)
  })

  t.test('diagnostic data is one file without secrets', async (t) => {
    const log = '/redfish/v1/Managers/1/LogServices/EventLog/'
    const { target, ...offer } = (await server.get(log)).json.Actions['#LogService.CollectDiagnosticData']
    t.same(offer['DiagnosticDataType@Redfish.AllowableValues'], ['Manager'])
    const collected = await server.post(target, { DiagnosticDataType: 'Manager' })
    t.equal(collected.status, 201)
    const entry = (await server.get(String(collected.headers.location))).json
    t.match(entry, { MessageId: /DiagnosticDataCollected$/, DiagnosticDataType: 'Manager' })
    const { json, text } = await server.get(entry.AdditionalDataURI)
    t.equal(Buffer.byteLength(text), entry.AdditionalDataSizeBytes)
    t.match(json, { Board: /./, Versions: [{ Id: 'Manager-1' }, { Id: 'BIOS-1' }] })
    t.ok(json.ServiceLog.some((line: string) => JSON.parse(line).message === 'listening'))
    t.ok(json.Log.some(({ MessageId }: Json) => MessageId.endsWith('.ControllerStarted')))
    t.ok(json.State.some(({ Table }: Json) => Table === 'system'))
    t.notMatch(text, /PRIVATE KEY|pbkdf2/i)
    t.notOk(text.includes(password))
    t.equal((await server.get(entry.AdditionalDataURI, {})).status, 401)
  })

  t.test('clients find it by SSDP once that is enabled, and get its byebye', async (t) => {
    const group = '239.255.255.250'
    const client = await listener(t, group)
    const { UUID } = (await server.get('/redfish/v1/', {})).json
    const off = { SSDP: { NotifyMulticastIntervalSeconds: 600, NotifyTTL: 2, Port: 1900, ProtocolEnabled: false } }
    t.match((await server.get(protocols)).json, off)
    const on = { SSDP: { Port: client.port, ProtocolEnabled: true } }
    t.equal((await server.patch(protocols, on)).status, 200)
    t.match((await server.get(protocols)).json, on)
    const service = `USN: uuid:${UUID}::urn:dmtf-org:service:redfish-rest:1:17\r\n`
    const root = `AL: https://127.0.0.1:${server.port}/redfish/v1/\r\n`
    const alive = await client.hears((text) => text.includes('NTS: ssdp:alive') && text.includes(root))
    t.ok(alive.includes(service))
    const target = 'ST: urn:dmtf-org:service:redfish-rest:1\r\n'
    const search = `M-SEARCH * HTTP/1.1\r\nMAN: "ssdp:discover"\r\nMX: 0\r\n${target}\r\n`
    const answer = await ask(t, search, group, client.port)
    for (const each of ['HTTP/1.1 200 OK\r\n', service, root]) t.ok(answer.includes(each), each)
    t.equal((await server.patch(protocols, { SSDP: { ProtocolEnabled: false } })).status, 200)
    await client.hears((text) => text.includes('NTS: ssdp:byebye') && text.includes(service))
  })

  t.test('clients find it by multicast DNS once it is switched on', async (t) => {
    const client = await listener(t, '224.0.0.251')
    const names = (ProtocolEnabled: boolean) => ({
      Oem: { Vendor: { MulticastDNS: { Port: client.port, ProtocolEnabled } } }
    })
    t.match((await server.get(protocols)).json.Oem.Vendor, { MulticastDNS: { Port: 5353, ProtocolEnabled: false } })
    t.equal((await server.patch(protocols, names(true))).status, 200)
    await client.hears((text) => text.includes('path=/redfish/v1/'))
    // The resolver of Node.js asks one address only, and checks what it gets.
    const resolver = new Resolver()
    resolver.setServers([`127.0.0.1:${client.port}`])
    const [instance = ''] = await resolver.resolvePtr('_redfish._tcp.local')
    const [{ name = '', port = 0 } = {}] = await resolver.resolveSrv(instance)
    t.equal(port, server.port)
    t.strictSame(await resolver.resolve4(name), ['127.0.0.1'])
    const { UUID } = (await server.get('/redfish/v1/', {})).json
    t.strictSame(await resolver.resolveTxt(instance), [['path=/redfish/v1/', `uuid=${UUID}`]])
    t.equal((await server.patch(protocols, names(false))).status, 200)
  })

  t.test('volumes are made and deleted as Ironic does it', async (t) => {
    const server = await start(t, host)
    const { json } = await server.get(`${storage}Volumes/`)
    t.same(json['@Redfish.OperationApplyTimeSupport'], { SupportedValues: ['Immediate'] })
    const [{ SupportedRAIDTypes }] = (await server.get(storage)).json.StorageControllers
    t.ok(SupportedRAIDTypes.includes('RAID1'))
    for (const { '@odata.id': uri } of json.Members) {
      t.equal(
        (await server.request('DELETE', uri, undefined, { '@Redfish.OperationApplyTime': 'Immediate' })).status,
        200
      )
    }
    const ironic = { Encrypted: false, VolumeType: 'Mirrored', RAIDType: 'RAID1', CapacityBytes: 107_374_182_400 }
    const Links = { Drives: ['5', '6'].map((id) => ({ '@odata.id': `${storage}Drives/${id}/` })) }
    const at = { '@Redfish.OperationApplyTime': 'Immediate' }
    for (const body of [
      { ...ironic, ...at, Links, Name: 'Root' },
      { ...ironic, ...at }
    ]) {
      const made = await server.post(`${storage}Volumes/`, body)
      t.equal(made.status, 201, made.text)
      const volume = (await server.get(String(made.headers.location))).json
      t.match(volume, { RAIDType: 'RAID1', CapacityBytes: ironic.CapacityBytes })
      t.equal(volume.Links.Drives.length, 2)
    }
    const wrong = { ...ironic, '@Redfish.OperationApplyTime': 'OnReset' }
    const refused = await server.post(`${storage}Volumes/`, wrong)
    t.same(messagesOf(refused), ['Base.PropertyValueNotInList(OnReset, @Redfish.OperationApplyTime)'])
  })

  t.test('each fault of an insertion has its message', async (t) => {
    const action = 'VirtualMedia.InsertMedia'
    for (const [body, message] of [
      [{}, `Base.ActionParameterMissing(${action}, Image)`],
      [{ Image: 7 }, `Base.ActionParameterValueTypeError(7, Image, ${action})`],
      [{ Image: image, Inserted: 'yes' }, `Base.ActionParameterValueTypeError(yes, Inserted, ${action})`],
      [{ Image: image, Colour: 'red' }, `Base.ActionParameterUnknown(${action}, Colour)`],
      [{ Image: 'boot.iso' }, `Base.ActionParameterValueFormatError(boot.iso, Image, ${action})`]
    ] as const) {
      const answer = await server.post(`${drive}Actions/${action}/`, body)
      t.same([answer.status, messagesOf(answer)], [400, [message]])
    }
    t.equal((await server.get(drive)).json.Inserted, false)
  })

  t.test('a storage is reset with and without its volumes', async (t) => {
    const volumes = async () => (await server.get(`${storage}Volumes/`)).json['Members@odata.count']
    const rate = async () => (await server.get(`${storage}Controllers/1/`)).json.ControllerRates.RebuildRatePercent
    const reset = (ResetType: string) => server.post(`${storage}Actions/Storage.ResetToDefaults/`, { ResetType })
    const factory = await rate()
    const ControllerRates = { RebuildRatePercent: 75 }
    t.equal((await server.patch(`${storage}Controllers/1/`, { ControllerRates })).status, 200)
    t.equal(await rate(), 75)
    t.equal((await reset('PreserveVolumes')).status, 200)
    t.same([await rate(), await volumes()], [factory, 2])
    t.equal((await reset('ResetAll')).status, 200)
    t.equal(await volumes(), 0)
    t.same((await server.get(`${storage}Drives/1/`)).json.Links.Volumes, [])
    const Links = { Drives: ['1', '2', '3'].map((id) => ({ '@odata.id': `${storage}Drives/${id}/` })) }
    const made = await server.post(`${storage}Volumes/`, { RAIDType: 'RAID5', DisplayName: 'Data', Links })
    t.same([made.status, made.headers.location], [201, `${storage}Volumes/1/`])
    t.match((await server.get(`${storage}Volumes/1/`)).json, { RAIDType: 'RAID5', CapacityBytes: 4800953106432 })
    t.same(messagesOf(await reset('Everything')), [
      'Base.ActionParameterValueNotInList(Everything, ResetType, Storage.ResetToDefaults)'
    ])
  })

  t.test('a log records power changes, and can be cleared', async (t) => {
    const log = '/redfish/v1/Systems/1/LogServices/SystemLog/'
    const entries = () => server.get(`${log}Entries/`)
    const last = ({ json }: { json: Json }): string => json.Members.at(-1)?.Message
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceOff' })
    await server.until(entries, (answer) => last(answer) === 'The server 1 is powered off.')
    t.equal((await server.post(`${log}Actions/LogService.ClearLog/`, {})).status, 200)
    t.equal((await entries()).json['Members@odata.count'], 1)
    t.equal(last(await entries()), 'The log was cleared by admin.')
  })

  t.test('time servers and inserted media survive a restart', async (t) => {
    const before = await start(t, host)
    const StaticNTPServers = ['192.0.2.7', 'time.example.net']
    t.equal((await before.patch('/redfish/v1/Managers/1/DateTime/', { StaticNTPServers })).status, 200)
    const bad = await before.patch('/redfish/v1/Managers/1/DateTime/', { StaticNTPServers: ['a b'] })
    t.equal(bad.status, 400)
    t.equal((await before.post(`${drive}Actions/VirtualMedia.InsertMedia/`, { Image: image })).status, 200)
    await before.stop()
    const after = await start(t, host, { data: before.data })
    t.same((await after.get('/redfish/v1/Managers/1/NetworkProtocol/')).json.NTP.NTPServers, StaticNTPServers)
    t.equal((await after.get(drive)).json.Image, image)
  })

  t.test(
    "the controller's port gets a static address and a name, and is rolled back if no client connects",
    async (t) => {
      const port = '/redfish/v1/Managers/1/EthernetInterfaces/1/'
      const static4 = { Address: '198.51.100.20', SubnetMask: '255.255.255.0', Gateway: '198.51.100.1' }
      const { status } = await server.patch(port, { IPv4StaticAddresses: [static4], HostName: 'rack7-node3' })
      t.equal(status, 200)
      const has = (address: string) => async () => {
        await server.until(
          () => server.get(port),
          ({ json }) => json.IPv4Addresses[0]?.Address === address
        )
      }
      await has(static4.Address)()
      t.match((await server.get(port)).json, { HostName: 'rack7-node3', FQDN: 'rack7-node3.example.net' })
      t.match((await server.get('/redfish/v1/Managers/1/NetworkProtocol/')).json, { HostName: 'rack7-node3' })
      const tried = { IPv4StaticAddresses: [null], DHCPv4: { DHCPEnabled: true }, Oem: { Vendor: { RollbackTime: 1 } } }
      t.equal((await server.patch(port, tried)).status, 200)
      await has('192.0.2.80')()
      t.equal((await server.get(port)).json.Oem.Vendor.RollbackTime, 1)
      await has(static4.Address)()
      t.match((await server.get(port)).json, { DHCPv4: { DHCPEnabled: false }, IPv4StaticAddresses: [static4] })
      const bad = await server.patch(port, { IPv4StaticAddresses: [{ ...static4, SubnetMask: '255.0.255.0' }] })
      const fault = 'Base.PropertyValueIncorrect(SubnetMask, 255.0.255.0)'
      t.same([bad.status, messagesOf(bad)], [400, [fault]])
    }
  )

  t.test('the controller uses name and time servers from DHCPv6 if a client enables it', async (t) => {
    const port = '/redfish/v1/Managers/1/EthernetInterfaces/1/'
    t.equal((await server.get(port)).json.DHCPv6.OperatingMode, 'Disabled')
    const DHCPv6 = { OperatingMode: 'Stateless', UseNTPServers: false }
    t.equal((await server.patch(port, { DHCPv6 })).status, 200)
    const ofNetwork = '2001:db8:0:1::53'
    const { json } = await server.until(
      () => server.get(port),
      ({ json }) => json.NameServers.includes(ofNetwork)
    )
    t.match(json, { DHCPv6: { ...DHCPv6, UseDNSServers: true, UseDomainName: true } })
    const protocol = () => server.get('/redfish/v1/Managers/1/NetworkProtocol/')
    const isSupplied = ({ json }: { json: Json }) => json.NTP.NetworkSuppliedServers.includes('2001:db8:0:1::123')
    t.notOk(isSupplied(await protocol()), 'what is not to be used is not')
    await server.patch(port, { DHCPv6: { UseNTPServers: true } })
    await server.until(protocol, isSupplied)
    const bad = await server.patch(port, { DHCPv6: { OperatingMode: 'Stateful' } })
    t.same([bad.status, messagesOf(bad)], [400, ['Base.PropertyValueNotInList(Stateful, OperatingMode)']])
    await server.patch(port, { DHCPv6: { OperatingMode: 'Disabled' } })
    await server.until(
      () => server.get(port),
      ({ json }) => !json.NameServers.includes(ofNetwork)
    )
  })

  t.test('a manager shows local time, and its clock stays with the machine', async (t) => {
    const manager = '/redfish/v1/Managers/1/'
    const before = await start(t, host)
    const offset = async (DateTimeLocalOffset: string) => (await before.patch(manager, { DateTimeLocalOffset })).status
    t.same([await offset('+02:00'), await offset('2'), await offset('+15:00')], [200, 400, 400])
    const set = await before.patch(manager, { DateTime: '2031-02-03T04:05:06Z' })
    t.same([set.status, messagesOf(set)], [400, ['Base.PropertyNotWritable(DateTime)']])
    await before.stop()
    const after = await start(t, host, { data: before.data })
    for (const uri of [manager, `${manager}DateTime/`, `${manager}LogServices/EventLog/`]) {
      const { json } = await after.get(uri)
      t.match(json, { DateTime: /^[\d-]+T[\d:.]+\+02:00$/, DateTimeLocalOffset: '+02:00' }, uri)
      t.ok(Math.abs(Date.parse(json.DateTime) - Date.now()) < 60_000, 'it is the same time')
    }
    const system = await after.get('/redfish/v1/Systems/1/LogServices/SystemLog/')
    t.equal(system.json.DateTimeLocalOffset, '+02:00', 'its host keeps its offset')
  })

  t.test('a clock that another program sets is set over it', async (t) => {
    const folder = directory(t)
    const clockFile = `${folder}/clock`
    const other = await start(t, host, { configuration: { clockFile } })
    const set = (DateTime: string) => other.patch('/redfish/v1/Managers/1/', { DateTime })
    const inTime = set(new Date().toISOString())
    // Only the init process of an image may set a clock: this one is right already.
    while (!existsSync(clockFile)) await pause(10)
    rmSync(clockFile)
    t.equal((await inTime).status, 200)
    const form = await set('2031-02-03T04:05:06')
    t.same([form.status, messagesOf(form)], [400, ['Base.PropertyValueFormatError(2031-02-03T04:05:06, DateTime)']])
    const StaticNTPServers = ['192.0.2.7']
    await other.patch('/redfish/v1/Managers/1/DateTime/', { StaticNTPServers })
    const followed = await set('2031-02-03T04:05:06Z')
    const conflict = 'Base.PropertyValueConflict(DateTime, NTP/ProtocolEnabled)'
    t.same([followed.status, messagesOf(followed)], [400, [conflict]])
    t.notOk(existsSync(clockFile))
    await other.patch('/redfish/v1/Managers/1/NetworkProtocol/', { NTP: { ProtocolEnabled: false } })
    rmSync(folder, { recursive: true })
    t.equal((await set('2031-02-03T04:05:06Z')).status, 503, 'the answer cannot reach the client')
  })

  t.test('a user whose role lacks a privilege gets 403', async (t) => {
    await account(server, 'reader', 'ReadOnly')
    await account(server, 'operator', 'Operator')
    const insert = `${drive}Actions/VirtualMedia.InsertMedia/`
    const clear = '/redfish/v1/Systems/1/LogServices/SystemLog/Actions/LogService.ClearLog/'
    const reset = `${storage}Actions/Storage.ResetToDefaults/`
    for (const [user, path, body, status] of [
      ['reader', insert, { Image: image }, 403],
      ['reader', reset, { ResetType: 'ResetAll' }, 403],
      ['reader', clear, {}, 403],
      ['operator', insert, { Image: image }, 200],
      ['operator', reset, { ResetType: 'PreserveVolumes' }, 200],
      ['operator', clear, {}, 403]
    ] as const) {
      t.equal((await server.post(path, body, basic(user, 'Green-Door-4'))).status, status, `${user} ${path}`)
    }
  })
})

async function account(server: Server, UserName: string, RoleId: string): Promise<void> {
  await server.post('/redfish/v1/AccountService/Accounts', { UserName, Password: 'Green-Door-4', RoleId })
}
