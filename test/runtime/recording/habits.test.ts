import t, { type Test } from 'tap'
import { password } from '#test/runtime/service.ts'
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
    t.match({ status, json }, { status: 202, json: { TaskState: 'Completed', PercentComplete: 100 } }, target)
    t.match((await ask('GET', json['@odata.id'])).json, { TaskState: 'Completed', TaskStatus: 'OK' })
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
  t.match(await over('NFS'), { status: 202, json: { TaskState: 'Completed' } })
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
