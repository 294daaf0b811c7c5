import t, { type Test } from 'tap'
import { password } from '#test/runtime/service.ts'
import { makers } from './makers.ts'
import { mockups, writeResources } from './mockups.ts'
import { recorded } from './recorded.ts'
import { serve, until } from './served.ts'

// biome-ignore lint/suspicious/noExplicitAny: machines are what makers serve
type Body = Record<string, any>

const root = '/redfish/v1'
const system = `${root}/Systems/System.Embedded.1`
const manager = `${root}/Managers/CMC.Embedded.1`
const contoso = mockups.contoso!

/** A recording of a machine with more resources, or with more members in those that it has. */
function machine(t: Test, more: Readonly<Record<string, Body>>, writes?: string) {
  const resources: Record<string, Body> = { ...contoso }
  for (const [path, body] of Object.entries(more)) resources[path] = { '@odata.id': path, ...resources[path], ...body }
  const { file } = recorded(writeResources(t.testdir(), resources))
  return serve(t, { ...file, ...(writes && { writes }) })
}

const reset = (...types: string[]) => ({
  Actions: {
    '#ComputerSystem.Reset': {
      target: `${system}/Actions/ComputerSystem.Reset`,
      'ResetType@Redfish.AllowableValues': types
    }
  }
})

t.test('the types of reset that a maker advertises work, and are shown', async (t) => {
  const { ask } = await machine(t, { [system]: { PowerState: 'Off', ...reset('ForceOn', 'Off', 'PowerCycle') } })
  const state = (wanted: string) => until(async () => (await ask('GET', system)).json.PowerState === wanted)
  const { target, ...shown } = (await ask('GET', system)).json.Actions['#ComputerSystem.Reset']
  t.strictSame(shown, { 'ResetType@Redfish.AllowableValues': ['ForceOn', 'Off', 'PowerCycle'] })
  t.equal((await ask('POST', target, { ResetType: 'PowerCycle' })).status, 409, 'of a host that is off')
  t.equal((await ask('POST', target, { ResetType: 'ForceOn' })).status, 200)
  await state('On')
  t.equal((await ask('POST', target, { ResetType: 'PowerCycle' })).status, 200)
  await state('On')
  t.equal((await ask('POST', target, { ResetType: 'Off' })).status, 200)
  await state('Off')
  t.equal((await ask('POST', target, { ResetType: 'On' })).status, 200, 'those of the service too')
  t.equal((await ask('POST', target, { ResetType: 'FullPowerCycle' })).status, 400, 'not advertised')
})

t.test('a BIOS without a registry shows the recorded attributes alone, and takes changes of them', async (t) => {
  const Attributes = { QuietBoot: 'Enabled', Cores: 12, Turbo: true, Odd: null }
  const without = { '@odata.type': '#Bios.v1_2_0.Bios', AttributeRegistry: null, Attributes }
  const { ask } = await machine(t, {
    [`${system}/BIOS`]: without,
    [`${system}/BIOS/SD`]: { ...without, '@odata.type': '#ContosoBiosSettings.v1_0_0.Settings', Attributes: {} }
  })
  t.strictSame((await ask('GET', `${system}/BIOS`)).json.Attributes, Attributes)
  const wanted = { QuietBoot: 'Disabled', Cores: 8 }
  t.equal((await ask('PATCH', `${system}/BIOS/SD`, { Attributes: wanted })).status, 200)
  t.match((await ask('GET', `${system}/BIOS/SD`)).json, {
    '@odata.type': '#ContosoBiosSettings.v1_0_0.Settings',
    Attributes: wanted
  })
  await ask('POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: 'On' })
  await until(async () => (await ask('GET', `${system}/BIOS`)).json.Attributes.Cores === 8)
  t.strictSame((await ask('GET', `${system}/BIOS`)).json.Attributes, { ...Attributes, ...wanted })
})

t.test('an advertised action is accepted with a task that completes, and any other refused', async (t) => {
  const dance = `${system}/Actions/Oem/Contoso.Dance`
  const erase = `${root}/Drives/1/Actions/Drive.SecureErase`
  const { ask } = await machine(t, {
    [system]: {
      Oem: {
        Contoso: {
          Actions: { '#Contoso.Dance': { target: dance, 'Style@Redfish.AllowableValues': ['Waltz', 'Polka'] } }
        }
      }
    },
    [`${root}/Drives/1`]: {
      '@odata.type': '#Drive.v1_0_0.Drive',
      Id: '1',
      Actions: {
        '#Drive.SecureErase': { target: erase },
        Oem: { '#Contoso.Blink': { target: `${root}/Drives/1/Blink` } }
      }
    }
  })
  for (const [target, body] of [
    [dance, { Style: 'Polka', Speed: 3 }],
    [dance.toLowerCase(), {}],
    [erase, {}],
    [`${root}/Drives/1/Blink`, {}]
  ] as const) {
    const { status, json } = await ask('POST', target, body)
    t.match({ status, json }, { status: 202, json: { TaskState: 'Running', PercentComplete: 0 } }, target)
    await until(async () => (await ask('GET', json['@odata.id'])).json.TaskState === 'Completed')
    t.match((await ask('GET', json['@odata.id'])).json, { PercentComplete: 100, TaskStatus: 'OK' })
  }
  t.equal((await ask('POST', dance, { Style: 'Tango' })).status, 400)
  t.equal((await ask('GET', dance)).status, 405)
  t.equal((await ask('POST', `${dance}Again`, {})).status, 404)
  t.equal((await ask('POST', dance, {}, { authorization: '' })).status, 401)
})

t.test('each recorded log can be cleared', async (t) => {
  const sel = `${manager}/LogServices/Sel`
  const { ask } = await machine(t, {
    [sel]: { Actions: { '#LogService.ClearLog': { target: `${sel}/Actions/LogService.ClearLog` } } }
  })
  for (const log of ['Sel', 'Lclog'])
    t.equal((await ask('POST', `${manager}/LogServices/${log}/Actions/LogService.ClearLog`, {})).status, 200, log)
})

t.test('update files and event streams have the places that the maker says', async (t) => {
  const { ask } = await machine(t, {
    [root]: {
      UpdateService: { '@odata.id': `${root}/UpdateService` },
      EventService: { '@odata.id': `${root}/EventService` }
    },
    [`${root}/UpdateService`]: {
      '@odata.type': '#UpdateService.v1_8_0.UpdateService',
      Id: 'UpdateService',
      FirmwareInventory: { '@odata.id': `${root}/UpdateService/FirmwareInventory` },
      HttpPushUri: `${root}/UpdateService/FirmwareInventory`,
      MultipartHttpPushUri: `${root}/UpdateService/MultipartUpload`
    },
    [`${root}/UpdateService/FirmwareInventory`]: {
      '@odata.type': '#SoftwareInventoryCollection.SoftwareInventoryCollection',
      Name: 'Firmware',
      Members: []
    },
    [`${root}/EventService`]: {
      '@odata.type': '#EventService.v1_7_0.EventService',
      Id: 'EventService',
      ServerSentEventUri: `${root}/SSE`
    }
  })
  const { HttpPushUri, MultipartHttpPushUri } = (await ask('GET', `${root}/UpdateService`)).json
  t.equal(MultipartHttpPushUri, `${root}/UpdateService/MultipartUpload`)
  t.equal((await ask('GET', HttpPushUri)).status, 200)
  const form = { 'content-type': 'multipart/form-data; boundary=x' }
  t.equal((await ask('POST', MultipartHttpPushUri, {}, { accept: '*/*' })).status, 415, 'takes a form')
  t.not((await ask('POST', MultipartHttpPushUri, {}, form)).status, 404)
  t.not((await ask('POST', HttpPushUri, {})).status, 405)
  const { ServerSentEventUri } = (await ask('GET', `${root}/EventService`)).json
  t.equal(ServerSentEventUri, `${root}/SSE`)
  t.equal((await ask('GET', ServerSentEventUri, undefined, { accept: 'text/event-stream' })).status, 200)
})

t.test('an update over an advertised protocol is accepted', async (t) => {
  const target = `${root}/UpdateService/Actions/UpdateService.SimpleUpdate`
  const { ask } = await machine(t, {
    [root]: { UpdateService: { '@odata.id': `${root}/UpdateService` } },
    [`${root}/UpdateService`]: {
      '@odata.type': '#UpdateService.v1_8_0.UpdateService',
      Id: 'UpdateService',
      Actions: {
        '#UpdateService.SimpleUpdate': { target, 'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'NFS', 'TFTP'] }
      }
    }
  })
  const over = (TransferProtocol: string) => ask('POST', target, { ImageURI: '192.0.2.9/bios.bin', TransferProtocol })
  t.match(await over('NFS'), { status: 202, json: { TaskState: 'Running' } })
  t.equal((await over('SCP')).status, 400, 'not advertised')
  t.match(await over('HTTPS'), { status: 202, json: { TaskState: 'Running' } }, 'fetched by the service')
})

const attributes = `${manager}/Oem/Contoso/Attributes`
const settings = {
  [attributes]: {
    '@odata.type': '#ContosoAttributes.v1_0_0.ContosoAttributes',
    Id: 'Attributes',
    Attributes: { 'NTP.1.Enable': 'Disabled', 'Time.1.Offset': 60, 'Users.2.Name': null }
  }
}

t.test('changes of recorded properties are remembered where nothing says that they are read-only', async (t) => {
  const { ask, restart } = await machine(t, settings)
  const change = { Attributes: { 'NTP.1.Enable': 'Enabled', 'Users.2.Name': 'op' } }
  t.equal((await ask('PATCH', attributes, change)).status, 200)
  t.equal((await ask('PATCH', system, { HostName: 'db8', Oem: { Contoso: { LastBoot: 'never' } } })).status, 200)
  await restart()
  t.strictSame((await ask('GET', attributes)).json.Attributes, { ...change.Attributes, 'Time.1.Offset': 60 })
  t.match((await ask('GET', system)).json, { HostName: 'db8', Oem: { Contoso: { LastBoot: 'never' } } })
  for (const [path, body] of [
    [attributes, { Attributes: { 'Time.1.Offset': 'late' } }],
    [attributes, { Attributes: { New: 1 } }],
    [attributes, { Id: 'x' }],
    [system, { Model: 'Hare' }],
    [system, { Links: {} }],
    [`${system}/Processors/CPU.Socket.1`, { Model: 'Hare' }]
  ] as const)
    t.equal((await ask('PATCH', path, body)).status, 400, JSON.stringify(body))
})

t.test('with writes refused only what is known to be writable can be changed', async (t) => {
  const { ask } = await machine(t, settings, 'refuse')
  t.equal((await ask('PATCH', attributes, { Attributes: { 'NTP.1.Enable': 'Enabled' } })).status, 400)
  t.equal((await ask('PATCH', `${system}/Processors/CPU.Socket.1`, { SpeedLimitMHz: 900 })).status, 200)
  await t.rejects(machine(t, settings, 'forget'), /writes is none of remember, refuse/)
  t.equal((await ask('POST', `${root}/Sessions`, { UserName: 'admin', Password: password })).status, 201)
})

const dell = makers['Dell-like']!

t.test('accounts in slots are created, changed and deleted with PATCH', async (t) => {
  const { ask, restart } = await serve(t, recorded(writeResources(t.testdir(), dell)).file)
  const accounts = `${root}/AccountService/Accounts`
  const slot = `${accounts}/3`
  const members = (await ask('GET', accounts)).json.Members.map((each: Body) => each['@odata.id'])
  t.strictSame(
    members.slice(0, 16),
    dell[accounts]!.Members.map((each: Body) => each['@odata.id'])
  )
  for (const id of [2, 3])
    t.match((await ask('GET', `${accounts}/${id}`)).json, { UserName: '', Enabled: false, Id: `${id}` })
  const account = { UserName: 'op', Password: 'Tin-Whistle-7', RoleId: 'Operator' }
  t.match(await ask('POST', accounts, account), { status: 405 })
  t.match(await ask('PATCH', slot, { UserName: 'op' }), { status: 400, text: /PropertyMissing/ })
  t.match(await ask('PATCH', slot, { ...account, UserName: 'o p' }), { status: 400 })
  t.equal((await ask('PATCH', slot, account)).status, 200)
  await restart()
  t.match((await ask('GET', slot)).json, { UserName: 'op', RoleId: 'Operator', Enabled: true, Id: '3' })
  const login = (Password: string) =>
    ask('POST', `${root}/Sessions`, { UserName: 'op', Password }, { authorization: '' })
  t.equal((await login('Tin-Whistle-7')).status, 201)
  t.equal((await ask('PATCH', `${accounts}/4`, account)).status, 409, 'the same name again')
  t.equal((await ask('PATCH', slot, { Password: 'Brass-Whistle-8' })).status, 200)
  t.equal((await login('Brass-Whistle-8')).status, 201)
  t.equal((await ask('DELETE', slot)).status, 405)
  t.equal((await ask('PATCH', slot, { UserName: '' })).status, 200)
  t.match((await ask('GET', slot)).json, { UserName: '', Enabled: false })
  t.equal((await login('Brass-Whistle-8')).status, 401)
  t.equal((await ask('PATCH', slot, { UserName: '' })).status, 200, 'the slot is already empty')
  t.equal((await ask('PATCH', slot, account)).status, 200)
  const other = { authorization: `Basic ${btoa('op:Tin-Whistle-7')}` }
  t.equal((await ask('PATCH', `${accounts}/5`, { ...account, UserName: 'my' }, other)).status, 403)
})

t.test('drives below a system are those of its manager, and take media', async (t) => {
  const { ask } = await serve(t, recorded(writeResources(t.testdir(), dell)).file)
  const drives = `${system}/VirtualMedia`
  t.strictSame((await ask('GET', drives)).json.Members, dell[drives]!.Members)
  t.strictSame((await ask('GET', `${manager}/VirtualMedia`)).json.Members, dell[`${manager}/VirtualMedia`]!.Members)
  const { Actions } = (await ask('GET', `${drives}/1`)).json
  const insert = Actions['#VirtualMedia.InsertMedia'].target
  t.equal(insert, `${drives}/1/Actions/VirtualMedia.InsertMedia`)
  t.equal((await ask('POST', insert, { Image: 'https://192.0.2.1/boot.iso' })).status < 300, true)
  t.match((await ask('GET', `${drives}/1`)).json, { Image: 'https://192.0.2.1/boot.iso' })
  t.match((await ask('GET', `${drives}/2`)).json, { Image: null, Inserted: false })
  t.match((await ask('GET', `${manager}/VirtualMedia/CD`)).json, { Inserted: false })
  t.equal((await ask('POST', `${drives}/1/Actions/VirtualMedia.EjectMedia`, {})).status < 300, true)
  t.match((await ask('GET', `${drives}/1`)).json, { Image: null, Inserted: false })
})

t.test('where a maker has jobs, an accepted action is one of them, runs and completes', async (t) => {
  const dance = `${system}/Actions/Oem/Contoso.Dance`
  const jobs = `${manager}/Oem/Contoso/Jobs`
  const Oem = { Contoso: { Actions: { '#Contoso.Dance': { target: dance } } } }
  const machine = { ...dell, [system]: { ...dell[system], Oem } }
  const { ask } = await serve(t, recorded(writeResources(t.testdir(), machine)).file)
  const pending = `${system}/BIOS/SD`
  t.equal((await ask('PATCH', pending, { Attributes: { NumLock: 'Off' } })).status, 200)
  for (const [target, body] of [
    [dance, {}],
    [jobs, { TargetSettingsURI: pending }]
  ] as const) {
    const { status, json, location } = await ask('POST', target, body)
    t.match(
      { status, json },
      { status: 202, json: { JobState: 'Running', '@odata.type': '#ContosoJob.v1_0_0.ContosoJob' } }
    )
    t.match(location, new RegExp(`^${jobs}/JID_\\d{12}$`))
    t.match((await ask('GET', jobs)).text, location)
    await until(async () => (await ask('GET', location)).json.JobState === 'Completed')
    t.match((await ask('GET', location)).json, { PercentComplete: 100, Message: /success/, EndTime: /Z$/ })
    const task = `${location.replace(jobs, `${root}/TaskService/Tasks`)}/`
    t.match((await ask('GET', task)).json, { TaskState: 'Completed' }, 'it is a task too')
  }
  t.equal((await ask('GET', `${jobs}/JID_1`)).status, 404)
  t.match((await ask('GET', pending)).json.Attributes, { NumLock: 'Off' }, 'until the host starts')
})

t.test('a URI for update files that names a host leads to the service itself', async (t) => {
  const { ask } = await serve(t, recorded(writeResources(t.testdir(), makers['Lenovo-like']!)).file)
  const { HttpPushUri, MultipartHttpPushUri } = (await ask('GET', `${root}/UpdateService`)).json
  t.strictSame([HttpPushUri, MultipartHttpPushUri], [`${root}/FWUpdate`, `${root}/MFWUpdate`])
  t.equal((await ask('POST', MultipartHttpPushUri, {}, { accept: '*/*' })).status, 415, 'takes a form')
})

t.test('the power of a chassis without a system is the recorded one', async (t) => {
  const chassis = `${root}/Chassis/Shelf`
  const { ask } = await machine(t, {
    [`${root}/Chassis`]: { Members: [...contoso[`${root}/Chassis`]!.Members, { '@odata.id': chassis }] },
    [chassis]: { '@odata.type': '#Chassis.v1_9_0.Chassis', Id: 'Shelf', Name: 'Shelf', PowerState: 'Off' }
  })
  t.equal((await ask('GET', chassis)).json.PowerState, 'Off')
})

t.test('a boot order has the names that the maker gives to boot options, and takes aliases as well', async (t) => {
  const path = `${root}/Systems/1`
  const { ask, restart } = await serve(t, recorded(writeResources(t.testdir(), makers['Supermicro-like']!)).file)
  const order = async () => (await ask('GET', path)).json.Boot.BootOrder
  t.strictSame(await order(), ['HDD.1', 'Network.1'])
  t.match((await ask('GET', `${path}/BootOptions/Network.1`)).json, { BootOptionReference: 'Network.1', Alias: 'Pxe' })
  const set = async (BootOrder: string[]) => (await ask('PATCH', path, { Boot: { BootOrder } })).status
  t.equal(await set(['Network.1', 'HDD.1']), 200)
  t.strictSame(await order(), ['Network.1', 'HDD.1'])
  t.equal(await set(['Hdd', 'Pxe']), 200)
  t.strictSame(await order(), ['HDD.1', 'Network.1'])
  t.equal(await set(['Pxe', 'Hdd']), 200)
  t.equal(await set(['Floppy', 'Hdd']), 400)
  t.equal((await ask('POST', `${path}/Actions/ComputerSystem.Reset`, { ResetType: 'On' })).status, 200)
  await until(async () => (await ask('GET', path)).json.PowerState === 'On')
  await restart()
  t.strictSame(await order(), ['Network.1', 'HDD.1'])
})

t.test('an order of aliases and the boot order agree after a change of either', async (t) => {
  const path = `${root}/Systems/1`
  const maker = makers['Supermicro-like']!
  const Boot = { ...(maker[path] as Body).Boot, AliasBootOrder: ['Usb', 'Hdd', 'Pxe'] }
  const resources = { ...maker, [path]: { ...maker[path], Boot } }
  const { ask, restart } = await serve(t, recorded(writeResources(t.testdir(), resources)).file)
  const orders = async () => {
    const { AliasBootOrder, BootOrder } = (await ask('GET', path)).json.Boot
    return [AliasBootOrder, BootOrder]
  }
  const set = async (boot: Body) => (await ask('PATCH', path, { Boot: boot })).status
  t.strictSame(await orders(), [Boot.AliasBootOrder, ['HDD.1', 'Network.1']])
  t.equal(await set({ AliasBootOrder: ['Pxe', 'Usb', 'Hdd'] }), 200)
  t.strictSame(await orders(), [
    ['Pxe', 'Usb', 'Hdd'],
    ['Network.1', 'HDD.1']
  ])
  t.equal(await set({ BootOrder: ['HDD.1', 'Network.1'], BootSourceOverrideMode: 'Legacy' }), 200)
  const after = [
    ['Hdd', 'Usb', 'Pxe'],
    ['HDD.1', 'Network.1']
  ]
  t.strictSame(await orders(), after)
  for (const wrong of [['Cd', 'Hdd', 'Pxe'], ['Hdd', 'Hdd', 'Pxe'], [7]])
    t.equal(await set({ AliasBootOrder: wrong }), 400, String(wrong))
  t.equal(await set({ AliasBootOrder: ['Pxe', 'Hdd', 'Usb'], BootOrder: ['HDD.1', 'Network.1'] }), 400)
  await restart()
  t.strictSame(await orders(), after)
  t.equal(await set({ AliasBootOrder: ['Pxe'], BootSourceOverrideMode: 'UEFI' }), 200, 'others come last')
  t.strictSame(await orders(), [['Pxe'], ['Network.1', 'HDD.1']])
})

t.test('an order of aliases without boot options is remembered, and refused where none was recorded', async (t) => {
  const { ask } = await machine(t, { [system]: { Boot: { AliasBootOrder: ['Hdd', 'Pxe'] } } })
  t.equal((await ask('PATCH', system, { Boot: { AliasBootOrder: ['Pxe', 'Hdd'] } })).status, 200)
  t.strictSame((await ask('GET', system)).json.Boot.AliasBootOrder, ['Pxe', 'Hdd'])
  const other = await machine(t, {})
  t.equal((await other.ask('PATCH', system, { Boot: { AliasBootOrder: ['Pxe', 'Hdd'] } })).status, 400)
})
