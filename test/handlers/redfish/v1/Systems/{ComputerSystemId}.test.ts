import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { writeBootNumbers } from '#hal/uefi/boot.ts'
import { globalGuid } from '#hal/uefi/variables.ts'
import { GET as get, PATCH, privileges, schema } from '#handlers/redfish/v1/Systems/{ComputerSystemId}.ts'
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { badRequest, completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const params = { ComputerSystemId: '1' }
const uri = '/redfish/v1/Systems/1'
const order = GET(context({ params, uri })).Boot?.BootOrder ?? []
const nvme = 'PciRoot(0x2)/Pci(0x2,0x0)/Pci(0x0,0x0)/NVMe(0x1,22-5A-3C-01-A4-25-38-00)'

const patch = (Boot: object, system = {}) =>
  PATCH(context({ params, body: { Boot }, tables: { system: { 1: system } } }))

t.test('a system shows its inventory and links its surroundings', async (t) => {
  t.match(GET(context({ params, uri })), {
    Manufacturer: 'Vendor',
    BiosVersion: /^R22/,
    UUID: '3f0c5d1e-7a52-4c1b-9d38-5b1f6e2a9c04',
    ProcessorSummary: { Count: 2 },
    MemorySummary: { TotalSystemMemoryGiB: 512 },
    Links: {
      Chassis: [{ '@odata.id': '/redfish/v1/Chassis/1/' }],
      ManagedBy: [{ '@odata.id': '/redfish/v1/Managers/1/' }]
    }
  })
})

t.test('a system links its parts and its logs', async (t) => {
  for (const name of ['EthernetInterfaces', 'LogServices', 'Memory', 'Processors', 'Storage'] as const) {
    t.same(GET(context({ params, uri }))[name], { '@odata.id': `${uri}/${name}/` })
  }
})

t.test('a system lists the cards of its chassis', async (t) => {
  const { board } = context().machine
  const { PCIeDevices, 'PCIeDevices@odata.count': count } = GET(context({ params, uri }))
  const cards = Object.keys(board.chassis['1']?.pcieDevices ?? {})
  t.ok(count)
  t.same(
    [PCIeDevices?.map((each) => each['@odata.id']), count],
    [cards.map((id) => `/redfish/v1/Chassis/1/PCIeDevices/${id}/`), cards.length]
  )
})

t.test('a system has the trusted platform module of its board', async (t) => {
  t.match(GET(context({ params, uri })).TrustedModules, [{ InterfaceType: 'TPM2_0', FirmwareVersion: '7.2.3.1' }])
  const { board } = context().machine
  const { trustedModule, ...system } = board.systems['1']!
  t.ok(trustedModule)
  t.same(GET(context({ params, uri, board: { ...board, systems: { 1: system } } })).TrustedModules, [])
})

t.test('the watchdog timer of a host has consequences once a client says so', async (t) => {
  const Status = { State: 'Disabled' }
  const shown = { FunctionEnabled: false, TimeoutAction: 'ResetSystem', WarningAction: 'None', Status }
  t.match(GET(context({ params, uri })).HostWatchdogTimer, shown)
  const wish = { FunctionEnabled: true, TimeoutAction: 'PowerDown', WarningAction: 'DiagnosticInterrupt' } as const
  const body = { HostWatchdogTimer: wish }
  const { writes } = await PATCH(context({ params, body }))
  t.same(writes?.hostWatchdog, { 1: { enabled: true, action: 'PowerDown', warning: 'DiagnosticInterrupt' } })
  const tables = { hostWatchdog: { 1: { enabled: true } } }
  t.match(GET(context({ params, uri, tables })).HostWatchdogTimer, {
    FunctionEnabled: true,
    Status: { State: 'Enabled' }
  })
})

t.test('a system shows the time of power-on if its supply detects power loss', async (t) => {
  const PowerRestorePolicy = 'AlwaysOn' as const
  t.match(GET(context({ params, uri })), {
    PowerOnDelaySeconds: 0,
    PowerRestorePolicy: 'LastState',
    'PowerRestorePolicy@Redfish.AllowableValues': ['AlwaysOn', 'AlwaysOff', 'LastState']
  })
  const { writes } = await PATCH(context({ params, body: { PowerOnDelaySeconds: 30, PowerRestorePolicy } }))
  t.match(writes, { system: { 1: { powerOnDelay: 30 } }, powerRestore: { 1: { policy: 'AlwaysOn' } } })
  const tables = { system: { 1: { powerOnDelay: 30 } }, powerRestore: { 1: { policy: PowerRestorePolicy } } }
  t.match(GET(context({ params, uri, tables })), { PowerOnDelaySeconds: 30, PowerRestorePolicy })
  const unknown = { powerRestore: { 1: { policy: null } } }
  t.notOk('PowerRestorePolicy' in GET(context({ params, uri, tables: unknown })), 'as long as the bus is away')
  const silent = { params, uri, noticesPowerLoss: false }
  t.notOk('PowerRestorePolicy' in GET(context(silent)))
  t.same(await refusal(() => PATCH(context({ ...silent, body: { PowerRestorePolicy } }))), {
    status: 400,
    messages: [['Base.PropertyUnknown', 'PowerRestorePolicy']]
  })
})

t.test('the power mode is a setting of the BIOS, and waits for the next reset like the others', async (t) => {
  const allowed = ['MaximumPerformance', 'BalancedPerformance', 'PowerSaving', 'OSControlled']
  const running = (PowerPolicy: string) => ({ biosCurrent: { 1: { attributes: { PowerPolicy } } } })
  t.match(GET(context({ params, uri, tables: running('Efficiency') })), {
    PowerMode: 'PowerSaving',
    'PowerMode@Redfish.AllowableValues': allowed
  })
  t.equal(GET(context({ params, uri, tables: running('Another') })).PowerMode, null)
  const body = { PowerMode: 'MaximumPerformance', AssetTag: 'rack 7' } as const
  t.match(await PATCH(context({ params, body, tables: running('Balanced') })), {
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: {
      system: { 1: { assetTag: 'rack 7' } },
      biosPending: { 1: { attributes: { PowerPolicy: 'MaximumPerformance' } } }
    }
  })
  const { machine } = context()
  const { board } = machine
  const values = machine
    .attributeRegistry('1')
    .RegistryEntries.Attributes.find((each) => each.AttributeName === 'PowerPolicy')
  const { modes } = board.systems['1']!.powerMode!
  t.same(Object.keys(modes), allowed)
  t.same(Object.values(modes).sort(), values?.Value?.map(({ ValueName }) => ValueName).sort())
  const { powerMode: _, ...system } = board.systems['1']!
  const plain = { params, uri, board: { ...board, systems: { 1: system } }, tables: running('Balanced') }
  t.notOk('PowerMode' in GET(context(plain)))
  for (const [given, message] of [
    [{ PowerMode: 'Static' }, ['Base.PropertyValueNotInList', 'Static', 'PowerMode']],
    [{ PowerMode: null }, ['Base.PropertyValueNotInList', 'null', 'PowerMode']]
  ] as const) {
    const refused = await refusal(() => PATCH(context({ params, body: given, tables: running('Balanced') })))
    t.same(refused, { status: 400, messages: [message] })
  }
  t.same(await badRequest(() => PATCH(context({ ...plain, body }))), [['Base.PropertyUnknown', 'PowerMode']])
})

t.test('a host whose boots are followed says how often one that failed is tried again', async (t) => {
  const Boot = { AutomaticRetryConfig: 'RetryAttempts', AutomaticRetryAttempts: 5 } as const
  const { writes } = await patch(Boot)
  t.match(writes, { system: { 1: { bootRetry: 'RetryAttempts', bootRetryAttempts: 5 } }, bootRetry: { 1: null } })
  t.notOk('bootRetry' in ((await patch({ BootSourceOverrideTarget: 'Pxe' })).writes ?? {}))
  const tables = {
    system: { 1: { bootRetry: 'RetryAttempts', bootRetryAttempts: 5 } },
    bootRetry: { 1: { left: 4 } }
  } as const
  t.match(GET(context({ params, uri, tables })).Boot, { ...Boot, RemainingAutomaticRetryAttempts: 4 })
  const { board } = context().machine
  const { console: _, ...silent } = board.systems['1']!
  const given = { params, uri, board: { ...board, systems: { 1: silent } } }
  t.notOk('AutomaticRetryConfig' in GET(context(given)).Boot!)
  t.same(await badRequest(() => PATCH(context({ ...given, body: { Boot } }))), [
    ['Base.PropertyUnknown', 'AutomaticRetryAttempts']
  ])
})

t.test('a host without a watchdog timer has no such property and accepts no settings', async (t) => {
  const without = { params, uri, watchdog: null }
  t.equal(GET(context(without)).HostWatchdogTimer, undefined)
  const body = { HostWatchdogTimer: { FunctionEnabled: true } }
  t.match(await refusal(() => PATCH(context({ ...without, body }))), { status: 400 })
})

t.test(
  'a watchdog timer that another program runs has no warning, and is absent while nothing is known of it',
  async (t) => {
    const given = { params, uri, watchdog: { warns: false } }
    const known = { enabled: true, action: 'PowerDown' } as const
    const { HostWatchdogTimer } = GET(context({ ...given, tables: { hostWatchdog: { 1: known } } }))
    t.match(HostWatchdogTimer, {
      FunctionEnabled: true,
      TimeoutAction: 'PowerDown',
      Status: { State: 'Enabled' }
    })
    t.notOk('WarningAction' in HostWatchdogTimer!)
    const tables = { hostWatchdog: { 1: { enabled: null, action: null } } }
    t.equal(GET(context({ ...given, tables })).HostWatchdogTimer, undefined)
    const body = { HostWatchdogTimer: { WarningAction: 'DiagnosticInterrupt' as const } }
    t.same(await badRequest(() => PATCH(context({ ...given, body }))), [['Base.PropertyUnknown', 'WarningAction']])
  }
)

t.test('a system shows how it started, and the changes that wait for its next start', async (t) => {
  t.match(GET(context({ params, uri })).Oem?.Vendor, {
    BootMode: 'Normal',
    PendingBootMode: 'Normal',
    PendingNvramClear: false,
    PendingRecovery: false
  })
  const tables = {
    boot: { 1: { mode: 'SafeMode' } },
    hostPending: { 1: { mode: 'IntelligentDiagnostics', recovery: true, clearing: 'AllButKeys' } }
  } as const
  t.match(GET(context({ params, uri, tables })).Oem?.Vendor, {
    BootMode: 'SafeMode',
    PendingBootMode: 'IntelligentDiagnostics',
    PendingNvramClear: true,
    PendingRecovery: true
  })
})

t.test('the state follows the power', async (t) => {
  for (const [power, State] of [
    ['On', 'Enabled'],
    ['PoweringOn', 'Starting'],
    ['PoweringOff', 'Enabled'],
    ['Off', 'StandbyOffline']
  ] as const) {
    t.match(GET(context({ params, uri, power })), { PowerState: power, Status: { State } })
  }
})

t.test('the boot order is that of the store, whoever wrote it', async (t) => {
  const data = writeBootNumbers([4, 0xb00, 1])
  const given = {
    variables: { [`${globalGuid}/BootOrder`]: { attributes: 7, data } },
    tables: { system: { 1: { bootOrder: ['Boot0002'] } } }
  }
  const { BootOrder = [] } = GET(context({ params, uri, ...given })).Boot ?? {}
  t.same(BootOrder, ['Boot0004', 'Boot0001'], 'without what nothing stands behind')
})

t.test('a system has the asset tag of its board until a client sets another one', async (t) => {
  const { board } = context().machine
  const labelled = { ...board, systems: { 1: { ...board.systems[1]!, assetTag: 'from the factory' } } }
  t.equal(GET(context({ params, uri, board: labelled })).AssetTag, 'from the factory')
  const tables = { system: { 1: { assetTag: '' } } }
  t.equal(GET(context({ params, uri, board: labelled, tables })).AssetTag, '')
})

t.test('a new system boots in the order of its options, without an override', async (t) => {
  t.match(GET(context({ params, uri })), {
    AssetTag: '',
    Boot: {
      BootOptions: { '@odata.id': `${uri}/BootOptions/` },
      BootOrder: ['Boot0000', 'Boot0001', 'Boot0002'],
      BootSourceOverrideEnabled: 'Disabled',
      BootSourceOverrideMode: 'UEFI',
      BootSourceOverrideTarget: 'None',
      UefiTargetBootSourceOverride: null
    }
  })
  t.equal(order.length, 11)
})

t.test('the targets of an override are those of the specification', async (t) => {
  t.same(GET(context({ params, uri })).Boot?.['BootSourceOverrideTarget@Redfish.AllowableValues'], [
    'None',
    'Cd',
    'Hdd',
    'Usb',
    'SDCard',
    'Utilities',
    'Diags',
    'BiosSetup',
    'Pxe',
    'UefiShell',
    'UefiHttp',
    'UefiTarget'
  ])
})

t.test('an override is unknown while the program that holds it is away', async (t) => {
  const away = { bootOverrideEnabled: null, bootOverrideTarget: null, bootOverrideMode: null }
  t.match(GET(context({ params, uri, tables: { system: { 1: away } } })).Boot, {
    BootSourceOverrideEnabled: null,
    BootSourceOverrideMode: null,
    BootSourceOverrideTarget: null
  })
})

t.test('an override that another program holds has the targets and modes of that program', async (t) => {
  const bootOverrides = { targets: ['None', 'Pxe'], modes: ['UEFI', 'Legacy'] } as const
  t.match(GET(context({ params, uri, bootOverrides })).Boot, {
    'BootSourceOverrideMode@Redfish.AllowableValues': ['UEFI', 'Legacy'],
    'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe']
  })
  const set = (Boot: object) => async () => PATCH(context({ params, uri, bootOverrides, body: { Boot } }))
  t.match(await set({ BootSourceOverrideMode: 'Legacy', BootSourceOverrideTarget: 'Pxe' })(), {
    writes: { system: { 1: { bootOverrideMode: 'Legacy', bootOverrideTarget: 'Pxe' } } }
  })
  for (const [name, value] of [
    ['BootSourceOverrideTarget', 'Usb'],
    ['BootSourceOverrideTarget', null],
    ['BootSourceOverrideEnabled', null],
    ['BootSourceOverrideMode', null]
  ] as const) {
    t.same(await refusal(set({ [name]: value })), {
      status: 400,
      messages: [['Base.PropertyValueNotInList', String(value), name]]
    })
  }
  t.same(await refusal(() => patch({ BootSourceOverrideMode: 'Legacy' })), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'Legacy', 'BootSourceOverrideMode']]
  })
  const board = withoutVariables(sim as Board)
  const shown = GET(context({ params, uri, bootOverrides, board })).Boot
  t.match(shown, { BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' }, 'also without variables')
  t.notMatch(Object.keys(shown ?? {}).join(), /BootOrder|UefiTarget|HttpBootUri/)
  const Boot = { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' } as const
  t.match(await PATCH(context({ params, uri, bootOverrides, board, body: { Boot } })), {
    writes: { system: { 1: { bootOverrideTarget: 'Pxe', bootOverrideEnabled: 'Once' } } }
  })
})

t.test('the actions are offered with the values of their parameters', async (t) => {
  const { Actions, Oem } = GET(context({ params, uri }))
  t.match(Actions?.['#ComputerSystem.Reset'], {
    'ResetType@Redfish.AllowableValues': [
      'On',
      'ForceOff',
      'GracefulShutdown',
      'ForceRestart',
      'Nmi',
      'PushPowerButton',
      'GracefulRestart'
    ]
  })
  t.equal(Object.keys(Oem?.Vendor?.Actions ?? {}).length, 8)
  t.match(Oem?.Vendor?.Actions, {
    '#VendorComputerSystemExt.ServerSafeMode': {},
    '#VendorComputerSystemExt.PowerButton': { 'PushType@Redfish.AllowableValues': ['Press', 'PressAndHold'] },
    '#VendorComputerSystemExt.SystemReset': { 'ResetType@Redfish.AllowableValues': ['ColdBoot', 'AuxCycle'] }
  })
})

t.test('settings of clients are shown', async (t) => {
  const reversed = [...order].reverse()
  const system = {
    assetTag: 'R7',
    bootOverrideEnabled: 'Once',
    bootOverrideTarget: 'Pxe',
    bootOrder: reversed
  } as const
  t.match(GET(context({ params, uri, tables: { system: { 1: system } } })), {
    AssetTag: 'R7',
    Boot: { BootOrder: reversed, BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' }
  })
})

t.test('a stored order keeps to the options that there are', async (t) => {
  const tables = { system: { 1: { bootOrder: ['Boot00FF', 'Boot0009'] } } }
  const kept = GET(context({ params, uri, tables })).Boot?.BootOrder
  t.same(kept, ['Boot0009', ...order.filter((each) => each !== 'Boot0009')])
})

t.test('a PATCH stores the properties that it names and no others', async (t) => {
  const { status, messages, writes } = await patch({
    BootSourceOverrideTarget: 'Pxe',
    BootSourceOverrideEnabled: 'Once'
  })
  t.match({ status, messages }, { status: 200, messages: [{ key: 'Base.Success' }] })
  t.same(writes, {
    system: {
      1: {
        assetTag: undefined,
        bootOrder: undefined,
        bootOverrideEnabled: 'Once',
        bootOverrideTarget: 'Pxe',
        bootOverrideUefiTarget: undefined,
        httpBootUri: undefined
      }
    }
  })
  const tag = await PATCH(context({ params, body: { AssetTag: 'R7-12' } }))
  t.match(tag.writes, { system: { 1: { assetTag: 'R7-12', bootOverrideEnabled: undefined } } })
})

t.test('without one in the firmware, a boot order is a permutation of the options', async (t) => {
  const reversed = [...order].reverse()
  t.match(await patch({ BootOrder: reversed }), { writes: { system: { 1: { bootOrder: reversed } } } })
  const short = order.slice(1)
  t.same(await refusal(() => patch({ BootOrder: short })), {
    status: 400,
    messages: [['Base.PropertyValueIncorrect', 'BootOrder', short.join(', ')]]
  })
  const twice = [...short, 'Boot0001']
  t.same(await refusal(() => patch({ BootOrder: twice })), {
    status: 400,
    messages: [['Base.PropertyValueIncorrect', 'BootOrder', twice.join(', ')]]
  })
  t.same(await refusal(() => patch({ BootOrder: [...short, 'Boot00FF'] })), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'Boot00FF', 'BootOrder']]
  })
})

t.test("options can be added to the firmware's boot order, but not removed from it", async (t) => {
  const variables = { [`${globalGuid}/BootOrder`]: { attributes: 7, data: writeBootNumbers([4, 0xb00, 1]) } }
  const path = `1/${globalGuid}/BootOrder`
  const change = (BootOrder: readonly string[], variable = {}) =>
    PATCH(context({ params, body: { Boot: { BootOrder } }, variables, tables: { variable } }))
  const first = (await change(['Boot0009', 'Boot0001', 'Boot0004'])).writes?.variable ?? {}
  const nothingBehind = '000b'
  t.same(first, { [path]: { attributes: 7, data: `090001000400${nothingBehind}`, added: '0900' } })
  const { writes } = await change(['Boot0001', 'Boot0009', 'Boot0004', 'Boot0002'], first)
  t.same(writes?.variable, { [path]: { attributes: 7, data: `0100090004000200${nothingBehind}`, added: '09000200' } })
  for (const wrong of [['Boot0004'], ['Boot0004', 'Boot0009'], ['Boot0004', 'Boot0001', 'Boot0009', 'Boot0009']]) {
    t.same(await refusal(() => change(wrong)), {
      status: 400,
      messages: [['Base.PropertyValueIncorrect', 'BootOrder', wrong.join(', ')]]
    })
  }
  t.match(await refusal(() => change(['Boot0004', 'Boot0001'], first)), { status: 400 }, 'nor what waits to be put in')
  t.same(await refusal(() => change(['Boot0004', 'Boot0001', 'Boot0B00'])), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'Boot0B00', 'BootOrder']]
  })
})

t.test('a pending order shows the options that the host added or removed meanwhile', async (t) => {
  const variables = { [`${globalGuid}/BootOrder`]: { attributes: 7, data: writeBootNumbers([7, 4]) } }
  const wanted = { attributes: 7, data: '090001000400', added: '0900' }
  const tables = { variable: { [`1/${globalGuid}/BootOrder`]: wanted } }
  const { BootOrder } = GET(context({ params, uri, variables, tables })).Boot ?? {}
  t.same(BootOrder, ['Boot0009', 'Boot0004', 'Boot0007'])
})

t.test('in a boot order, {} keeps an option, and no option can be removed', async (t) => {
  const [first, second, ...rest] = order
  const swapped = [second, first, ...rest.map(() => ({}))]
  t.match(await patch({ BootOrder: swapped }), { writes: { system: { 1: { bootOrder: [second, first, ...rest] } } } })
  t.same(await refusal(() => patch({ BootOrder: [null, ...order.slice(1)] })), {
    status: 400,
    messages: [['Base.PropertyValueIncorrect', 'BootOrder', order.slice(1).join(', ')]]
  })
})

t.test('the URI of HTTP boot is shown and stored', async (t) => {
  t.equal(GET(context({ params, uri })).Boot?.HttpBootUri, null)
  const HttpBootUri = 'https://boot.example/shim.efi'
  const tables = { system: { 1: { httpBootUri: HttpBootUri } } }
  t.equal(GET(context({ params, uri, tables })).Boot?.HttpBootUri, HttpBootUri)
  t.match(await patch({ HttpBootUri }), { writes: { system: { 1: { httpBootUri: HttpBootUri } } } })
  t.match(await patch({ HttpBootUri: null }), { writes: { system: { 1: { httpBootUri: null } } } })
  t.same(GET(context({ params, uri })).Boot?.Certificates, { '@odata.id': `${uri}/Boot/Certificates/` })
})

t.test('UefiTarget needs the device path of a boot option', async (t) => {
  const target = { BootSourceOverrideTarget: 'UefiTarget' }
  const conflict = {
    status: 400,
    messages: [['Base.PropertyValueConflict', 'BootSourceOverrideTarget', 'UefiTargetBootSourceOverride']]
  }
  t.match(await patch({ ...target, UefiTargetBootSourceOverride: nvme }), {
    writes: { system: { 1: { bootOverrideTarget: 'UefiTarget', bootOverrideUefiTarget: nvme } } }
  })
  t.match(await patch(target, { bootOverrideUefiTarget: nvme }), { status: 200 }, 'also one that was given before')
  t.same(await refusal(() => patch(target)), conflict)
  const inUse = { bootOverrideTarget: 'UefiTarget', bootOverrideUefiTarget: nvme }
  t.same(await refusal(() => patch({ UefiTargetBootSourceOverride: null }, inUse)), conflict)
  t.same(await refusal(() => patch({ UefiTargetBootSourceOverride: 'PciRoot(0x9)' })), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'PciRoot(0x9)', 'UefiTargetBootSourceOverride']]
  })
  t.match(await patch({ UefiTargetBootSourceOverride: null }), {
    writes: { system: { 1: { bootOverrideUefiTarget: null } } }
  })
})

t.test('a system that there is not cannot be read or changed', async (t) => {
  for (const ComputerSystemId of ['2', 'constructor']) {
    t.same(await refusal(() => GET(context({ params: { ComputerSystemId }, uri }))), missing)
    const change = context({ params: { ComputerSystemId }, body: { AssetTag: 'x' } })
    t.same(await refusal(() => PATCH(change)), missing)
  }
})

t.test('reading takes LoginPriv, boot settings HostBIOSConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' })
})

t.test("a boot order is the firmware's too, once the host is held", async (t) => {
  const { writes } = await patch({ BootOrder: [...order].reverse() })
  t.same(Object.keys(writes?.variable ?? {}), ['1/8be4df61-93ca-11d2-aa0d-00e098032b8c/BootOrder'])
  t.equal((await patch({ BootSourceOverrideTarget: 'Pxe' })).writes?.variable, undefined)
})

t.test('the lamp of its chassis is shown and switched, by who configures the controller', async (t) => {
  const params = { ComputerSystemId: '1' }
  t.match(GET(context({ params, indicator: 'Lit' })), { IndicatorLED: 'Lit', LocationIndicatorActive: true })
  t.match(await PATCH(context({ params, body: { IndicatorLED: 'Blinking' } })), {
    writes: { chassis: { 1: { indicator: 'Blinking' } } },
    commands: [{ kind: 'indicator', chassis: '1', state: 'Blinking' }]
  })
  const operator = { caller: { user: 'ann', role: 'Operator' } }
  t.match(await PATCH(context({ params, body: { AssetTag: 'x' }, ...operator })), { status: 200, commands: [] })
  t.same(await refusal(() => PATCH(context({ params, body: { IndicatorLED: 'Lit' }, ...operator }))), {
    status: 403,
    messages: [['Base.InsufficientPrivilege']]
  })
})

t.test('an override that firmware has not used up is cancelled with its BootNext', async (t) => {
  const body = { Boot: { BootSourceOverrideEnabled: 'Disabled' } } as const
  const variables = { [`${globalGuid}/BootNext`]: { attributes: 7, data: Uint8Array.of(0xf0, 0xff) } }
  t.match(await PATCH(context({ params, body, variables })), {
    writes: { variable: { [`1/${globalGuid}/BootNext`]: { data: null } } }
  })
  t.notHas((await PATCH(context({ params, body }))).writes, 'variable')
  const other = { Boot: { BootSourceOverrideTarget: 'Pxe' } } as const
  t.notHas((await PATCH(context({ params, body: other, variables }))).writes, 'variable')
})

t.test('a system with a console shows its boot progress, if known', async (t) => {
  t.same(GET(context({ params, uri, bootProgress: 'OSBootStarted' })).BootProgress, { LastState: 'OSBootStarted' })
  t.same(GET(context({ params, uri })).BootProgress, { LastState: null })
  const { board } = context().machine
  const { console: _, ...system } = board.systems['1']!
  const shown = GET(context({ params, uri, board: { ...board, systems: { 1: system } } }))
  t.notHas(shown, 'BootProgress')
  t.notHas(shown, 'SerialConsole')
})
