import t from 'tap'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Managers/1'

t.test('a manager says what it is, what time it is and what it manages', async (t) => {
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

t.test('a manager links what it has', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1' } })), {
    EthernetInterfaces: { '@odata.id': `${uri}/EthernetInterfaces/` },
    LogServices: { '@odata.id': `${uri}/LogServices/` },
    NetworkProtocol: { '@odata.id': `${uri}/NetworkProtocol/` },
    VirtualMedia: { '@odata.id': `${uri}/VirtualMedia/` },
    Oem: { Vendor: { Links: { DateTimeService: { '@odata.id': `${uri}/DateTime/` } } } }
  })
})

t.test('the reset is offered where it is', async (t) => {
  t.same(GET(context({ uri, params: { ManagerId: '1' } })).Actions?.['#Manager.Reset'], {
    target: `${uri}/Actions/Manager.Reset/`,
    'ResetType@Redfish.AllowableValues': ['ForceRestart', 'GracefulRestart']
  })
})

t.test('a manager shows what is set on it, and what waits for its reset', async (t) => {
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

t.test('the vendor’s actions are offered where they are', async (t) => {
  const { Actions = {} } = GET(context({ uri, params: { ManagerId: '1' } })).Oem?.Vendor ?? {}
  t.equal(Object.keys(Actions).length, 8)
  t.same(Actions['#VendorMgmt.ResetToFactoryDefaults' as never], {
    target: `${uri}/Actions/Oem/Vendor/VendorMgmt.ResetToFactoryDefaults/`,
    'ResetType@Redfish.AllowableValues': ['Default']
  })
})

t.test('a hot key sends what it is told to, and the others what they did', async (t) => {
  const none = { CtrlT: [], CtrlU: [], CtrlV: [], CtrlW: [], CtrlX: [], CtrlY: [] }
  const tables = { manager: { 1: { hotKeys: { ...none, CtrlU: ['F11'] } } } }
  const body = { Oem: { Vendor: { HotKeys: { CtrlT: ['CTRL', 'ALT', 'DEL'] } } } }
  const { writes } = await PATCH(context({ params: { ManagerId: '1' }, tables, body }))
  t.same(writes, { manager: { 1: { hotKeys: { ...none, CtrlU: ['F11'], CtrlT: ['CTRL', 'ALT', 'DEL'] } } } })
})

t.test('there is no other manager', async (t) => {
  for (const ManagerId of ['2', 'constructor']) {
    t.same(await refusal(() => GET(context({ params: { ManagerId } }))), missing)
  }
})

t.test('reading takes LoginPriv, changing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
