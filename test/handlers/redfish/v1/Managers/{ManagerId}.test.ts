import t from 'tap'
import { simPort } from '#hal/sim/ports.ts'
import { GET as get, PATCH, privileges, schema } from '#handlers/redfish/v1/Managers/{ManagerId}.ts'
import { completed, context, type Given, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Managers/1'

t.test('a manager shows its identity, its time, and the systems and chassis that it manages', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1' }, now: '2025-02-03T04:05:06Z' })), {
    ManagerType: 'BMC',
    Model: 'Mgmt 6',
    FirmwareVersion: '1.62',
    DateTime: '2025-02-03T04:05:06.000Z',
    DateTimeLocalOffset: '+00:00',
    Links: {
      ManagerForServers: [{ '@odata.id': '/redfish/v1/Systems/1/' }],
      ManagerForChassis: [
        { '@odata.id': '/redfish/v1/Chassis/1/' },
        { '@odata.id': '/redfish/v1/Chassis/enclosurechassis/' }
      ]
    }
  })
})

t.test('a manager says when it last started, and which images its firmware is', async (t) => {
  const inventory = '/redfish/v1/UpdateService/FirmwareInventory'
  const params = { ManagerId: '1' }
  const tables = {
    controllerStart: { last: { time: '2025-02-03T04:05:06.000Z' } },
    clock: { 1: { localOffset: '+01:00' } }
  }
  t.match(GET(context({ uri, params, tables })), {
    LastResetTime: '2025-02-03T05:05:06.000+01:00',
    Links: {
      ActiveSoftwareImage: { '@odata.id': `${inventory}/Manager-1/` },
      SoftwareImages: [{ '@odata.id': `${inventory}/Manager-1/` }]
    }
  })
  const slots = [{ version: '1.62' }, { version: '1.63' }]
  const firmware = { 'Manager-1': { slots, running: 1, next: 1 } } as unknown as Given<never, undefined>['firmware']
  t.match(GET(context({ uri, params, firmware: firmware! })).Links, {
    ActiveSoftwareImage: { '@odata.id': `${inventory}/Manager-1-B/` },
    SoftwareImages: [{ '@odata.id': `${inventory}/Manager-1-A/` }, { '@odata.id': `${inventory}/Manager-1-B/` }]
  })
})

t.test('a manager links its resources', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1' } })), {
    EthernetInterfaces: { '@odata.id': `${uri}/EthernetInterfaces/` },
    LogServices: { '@odata.id': `${uri}/LogServices/` },
    NetworkProtocol: { '@odata.id': `${uri}/NetworkProtocol/` },
    VirtualMedia: { '@odata.id': `${uri}/VirtualMedia/` },
    Oem: { Vendor: { Links: { DateTimeService: { '@odata.id': `${uri}/DateTime/` } } } }
  })
})

t.test('the resets are offered with their types', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1' } })).Actions?.['#Manager.Reset'], {
    'ResetType@Redfish.AllowableValues': ['ForceRestart', 'GracefulRestart']
  })
  t.match(GET(context({ uri, params: { ManagerId: '1' } })).Actions?.['#Manager.ResetToDefaults'], {
    'ResetType@Redfish.AllowableValues': ['ResetAll', 'PreserveNetworkAndUsers', 'PreserveNetwork']
  })
})

t.test('a manager shows its settings, and the changes that wait for its reset', async (t) => {
  const shown = (tables = {}) => GET(context({ uri, params: { ManagerId: '1' }, tables })).Oem?.Vendor
  t.match(shown(), {
    CloudConnect: { Enabled: false, ConnectionStatus: 'Disabled' },
    HotKeys: { CtrlT: [], CtrlY: [] },
    MgmtFunctionality: 'Enabled',
    PendingAtReset: []
  })
  const tables = {
    manager: { 1: { cloudConnect: true, hotKeys: { CtrlT: ['CTRL', 'ALT'] } } },
    controller: { settings: { disabled: true } },
    controllerPending: { ClearRestApiState: { user: 'admin' } }
  }
  t.match(shown(tables), {
    CloudConnect: { Enabled: true, ConnectionStatus: 'NotConnected' },
    HotKeys: { CtrlT: ['CTRL', 'ALT'], CtrlY: [] },
    MgmtFunctionality: 'Disabled',
    PendingAtReset: ['ClearRestApiState']
  })
})

t.test('the vendor’s actions are offered with the values of their parameters', async (t) => {
  const { Actions = {} } = GET(context({ uri, params: { ManagerId: '1' } })).Oem?.Vendor ?? {}
  t.equal(Object.keys(Actions).length, 8)
  t.match(Actions['#VendorMgmt.ResetToFactoryDefaults' as never], { 'ResetType@Redfish.AllowableValues': ['Default'] })
})

t.test('a PATCH of one hot key leaves the others as they are', async (t) => {
  const none = { CtrlT: [], CtrlU: [], CtrlV: [], CtrlW: [], CtrlX: [], CtrlY: [] }
  const tables = { manager: { 1: { hotKeys: { ...none, CtrlU: ['F11'] } } } }
  const body = { Oem: { Vendor: { HotKeys: { CtrlT: ['CTRL', 'ALT', 'DEL'] } } } }
  const { writes } = await PATCH(context({ params: { ManagerId: '1' }, tables, body }))
  t.same(writes, { manager: { 1: { hotKeys: { ...none, CtrlU: ['F11'], CtrlT: ['CTRL', 'ALT', 'DEL'] } } } })
})

t.test('times have the time zone of the manager', async (t) => {
  const params = { ManagerId: '1' }
  const shown = (localOffset: string) => {
    const { DateTime, DateTimeLocalOffset } = GET(
      context({ uri, params, now: '2025-02-03T23:05:06.789Z', tables: { clock: { 1: { localOffset } } } })
    )
    return [DateTime, DateTimeLocalOffset]
  }
  t.same(shown('+05:45'), ['2025-02-04T04:50:06.789+05:45', '+05:45'])
  t.same(shown('-03:30'), ['2025-02-03T19:35:06.789-03:30', '-03:30'])
  t.same(shown('-00:00'), ['2025-02-03T23:05:06.789Z', '-00:00'])
  const body = { DateTimeLocalOffset: '+01:00' }
  t.same((await PATCH(context({ params, body }))).writes, { clock: { 1: { localOffset: '+01:00' } } })
})

t.test('the zone has the name of its offset, of the time zone database or of POSIX', async (t) => {
  const params = { ManagerId: '1' }
  for (const [localOffset, name] of [
    ['+00:00', 'UTC'],
    ['-00:00', 'UTC'],
    ['+02:00', 'Etc/GMT-2'],
    ['+14:00', 'Etc/GMT-14'],
    ['-12:00', 'Etc/GMT+12'],
    ['-13:00', '<-1300>+13:00'],
    ['+05:30', '<+0530>-05:30'],
    ['-03:30', '<-0330>+03:30']
  ] as const) {
    t.equal(GET(context({ uri, params, tables: { clock: { 1: { localOffset } } } })).TimeZoneName, name)
    const { writes } = await PATCH(context({ params, body: { TimeZoneName: name } }))
    t.same(writes, { clock: { 1: { localOffset: localOffset === '-00:00' ? '+00:00' : localOffset } } }, name)
  }
  t.same((await PATCH(context({ params, body: { TimeZoneName: 'JST-9' } }))).writes, {
    clock: { 1: { localOffset: '+09:00' } }
  })
})

t.test('zones with daylight saving time, and texts that are not a zone, are 400', async (t) => {
  const params = { ManagerId: '1' }
  for (const name of ['Europe/Berlin', 'CET-1CEST', 'Etc/GMT-15', 'UTC-14:30', 'Etc/GMT-2:99', '', 'x'.repeat(64)])
    t.same(await refusal(() => PATCH(context({ params, body: { TimeZoneName: name } }))), {
      status: 400,
      messages: [['Base.PropertyValueIncorrect', 'TimeZoneName', name]]
    })
  const both = { DateTimeLocalOffset: '+01:00', TimeZoneName: 'Etc/GMT-2' }
  t.match(await refusal(() => PATCH(context({ params, body: both }))), {
    messages: [['Base.PropertyValueConflict', 'DateTimeLocalOffset', 'TimeZoneName']]
  })
  t.same((await PATCH(context({ params, body: { ...both, TimeZoneName: 'Etc/GMT-1' } }))).writes, {
    clock: { 1: { localOffset: '+01:00' } }
  })
})

t.test('the clock can be set if another program does it and no time server is used', async (t) => {
  const params = { ManagerId: '1' }
  const configuration = { clockFile: '/run/clock' }
  const set = (DateTime: string | null, more: object = {}) =>
    PATCH(context({ params, configuration, body: { DateTime }, ...more }))
  const { writes, commands } = await set('2031-02-03T04:05:06+02:00')
  t.same([writes, commands], [{}, [{ kind: 'setClock', manager: '1', time: Date.UTC(2031, 1, 3, 2, 5, 6) }]])
  t.same((await set('2031-02-03T04:05:06Z', { configuration: {}, setsClock: true })).commands?.length, 1)
  const off = { tables: { clock: { 1: { timeServers: ['192.0.2.7'], ntp: false } } } }
  t.equal((await set('2031-02-03T04:05:06Z', off)).commands?.length, 1)
  const supplied = { port: { ...simPort().state, ntpServers: ['192.0.2.8'] } }
  const now = '2031-02-03T04:05:06Z'
  const followed = ['Base.PropertyValueConflict', 'DateTime', 'NTP/ProtocolEnabled']
  for (const [wanted, more, message] of [
    [now, { configuration: {} }, ['Base.PropertyNotWritable', 'DateTime']],
    [now, { tables: { clock: { 1: { ntp: true } } } }, followed],
    [now, supplied, followed],
    ['1999-12-31T23:59:59Z', {}, ['Base.PropertyValueIncorrect', 'DateTime', '1999-12-31T23:59:59Z']],
    ['2100-01-01T00:00:00Z', {}, ['Base.PropertyValueIncorrect', 'DateTime', '2100-01-01T00:00:00Z']],
    [null, {}, ['Base.PropertyValueTypeError', 'null', 'DateTime']]
  ] as const) {
    t.same(await refusal(() => set(wanted, more)), { status: 400, messages: [message] })
  }
})

t.test('there is no other manager', async (t) => {
  for (const ManagerId of ['2', 'constructor']) {
    t.same(await refusal(() => GET(context({ params: { ManagerId } }))), missing)
  }
})

t.test('reading takes LoginPriv, changing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
