import t from 'tap'
import type { Board } from '#data/board'
import { conditionKey, endOf, showRedundancy, troublesOf } from '#data/health'
import { define, type Tables } from '#runtime/contract'
import { context } from '#test/handlers/context.ts'

const { machine } = context()
const board: Board = machine.board
const root = '/redfish/v1'
const [storage, { drives, volumes }] = Object.entries(machine.system('1').storage).find(
  ([, each]) => Object.keys(each.volumes).length > 0
)!
const [volume, { drives: members, raidType }] = Object.entries(volumes)[0]!

/** The conditions of parts, in short. */
function troubles(
  seen: Record<string, string>,
  tables: { readonly condition?: Record<string, Partial<Tables['condition']>> } = {}
) {
  return troublesOf(board, context({ tables }).state, '1', seen).map(({ origin, name, begins }) => [
    origin.replace(`${root}/`, ''),
    name,
    begins
  ])
}

for (const [part, fault, origin, begins, severity] of [
  ['memory/proc1dimm1', 'correctable', 'Systems/1/Memory/proc1dimm1', 'MgmtEvents.MemoryErrorsCorrected', 'Warning'],
  [
    'memory/proc1dimm1',
    'uncorrectable',
    'Systems/1/Memory/proc1dimm1',
    'MgmtEvents.MemoryErrorUncorrectable',
    'Critical'
  ],
  ['processors/2', 'failed', 'Systems/1/Processors/2', 'MgmtEvents.ProcessorFailed', 'Critical'],
  ['pcieDevices/nic-1', 'failed', 'Chassis/1/PCIeDevices/nic-1', 'MgmtEvents.PCIeDeviceFailed', 'Critical'],
  ['links/nic-1/1', 'down', 'Chassis/1/NetworkAdapters/nic-1/Ports/1', 'NetworkDevice.ConnectionDropped', 'Warning'],
  [
    `controllers/${storage}`,
    'failed',
    `Systems/1/Storage/${storage}/Controllers/1`,
    'StorageDevice.ControllerFailure',
    'Critical'
  ],
  [
    `drives/${storage}/${members[0]}`,
    'predicted',
    `Systems/1/Storage/${storage}/Drives/${members[0]}`,
    'StorageDevice.DrivePredictiveFailure',
    'Warning'
  ]
] as const) {
  t.test(`${part} can be ${fault}, which is ${severity}`, async (t) => {
    t.same(troubles({ [part]: fault }), [[origin, fault, begins]])
    t.equal(define(begins).MessageSeverity, severity)
    const end = endOf(begins.replace('.', '.1.0.'))
    t.equal(end && define(end).MessageSeverity, 'OK')
  })
}

t.test('an event names its part, and that of a link the card and the port', async (t) => {
  const seen = {
    'links/nic-1/2': 'down',
    [`drives/${storage}/${members[0]}`]: 'predicted',
    'memory/proc1dimm1': 'correctable'
  }
  t.same(
    troublesOf(board, context().state, '1', seen).map(({ args }) => args),
    [['nic-1', '2'], [members[0]], ['proc1dimm1']]
  )
  t.equal(conditionKey('/redfish/v1/Systems/1', 'crash'), '/redfish/v1/Systems/1#crash')
})

t.test('two parts are redundant, one is not', async (t) => {
  const { health } = context()
  t.same(showRedundancy(health, '/s', ['/a']), [])
  t.match(showRedundancy(health, '/s', ['/a', '/b']), [
    { MaxSupportedInGroup: 2, MinNeededInGroup: 1, RedundancyGroup: [{ '@odata.id': '/a/' }, { '@odata.id': '/b/' }] }
  ])
})

t.test('a battery can fail', async (t) => {
  const [id] = Object.keys(machine.chassis('1').batteries ?? {})
  t.same(troubles({ [`batteries/${id}`]: 'failed' }), [
    [`Chassis/1/PowerSubsystem/Batteries/${id}`, 'failed', 'MgmtEvents.BatteryFailed']
  ])
})

t.test('a power supply that fails takes the redundancy with it', async (t) => {
  for (const [fault, begins] of [
    ['failed', 'MgmtEvents.PowerSupplyFailed'],
    ['inputLost', 'MgmtEvents.PowerSupplyInputLost']
  ] as const) {
    t.same(troubles({ 'powerSupplies/1': fault }), [
      ['Chassis/1/PowerSubsystem/PowerSupplies/1', fault, begins],
      ['Chassis/1/PowerSubsystem', 'redundancy', 'MgmtEvents.RedundancyLost']
    ])
  }
})

t.test('a fan that stands still takes the redundancy with it', async (t) => {
  const fan = `${root}/Chassis/1/ThermalSubsystem/Fans/21`
  const condition = (name: string) => ({ condition: { [`${fan}#${name}`]: { origin: fan } } })
  t.same(troubles({}, condition('LowerCritical')), [
    ['Chassis/1/ThermalSubsystem', 'redundancy', 'MgmtEvents.RedundancyLost']
  ])
  t.same(troubles({}, condition('LowerCaution')), [])
})

t.test('a volume is degraded while its drives that failed can be spared, and has failed beyond that', async (t) => {
  t.equal(raidType, 'RAID1')
  const of = (...faults: string[]) =>
    troubles(Object.fromEntries(faults.map((fault, at) => [`drives/${storage}/${members[at]}`, fault])))
      .filter(([origin]) => origin?.includes('/Volumes/'))
      .map(([origin, , begins]) => [origin, begins])
  const uri = `Systems/1/Storage/${storage}/Volumes/${volume}`
  t.same(of('failed'), [[uri, 'StorageDevice.VolumeDegraded']])
  t.same(of('rebuilding'), [[uri, 'StorageDevice.VolumeDegraded']])
  t.same(of('failed', 'failed'), [[uri, 'StorageDevice.VolumeFailure']])
  t.same(of('predicted'), [])
  t.equal(endOf('StorageDevice.1.1.VolumeDegraded'), 'StorageDevice.VolumeOK')
})

t.test('parts that do not exist, and faults that they do not have, are nothing', async (t) => {
  t.ok(Object.keys(drives).length > 0)
  const nothing = [
    'memory/x',
    'drives/x/1',
    `drives/${storage}/99`,
    'controllers/x',
    'processors/__proto__',
    'batteries/x'
  ]
  for (const part of [...nothing, 'powerSupplies/9', 'pcieDevices/x', 'links/nic-1/9', 'links/x/1', 'toString/1', ''])
    t.same(troubles({ [part]: 'failed' }), [], part)
  t.same(troubles({ 'memory/proc1dimm1': 'ends', 'processors/1': 'toString' }), [])
  t.same(troublesOf(board, context().state, 'x', { 'memory/proc1dimm1': 'correctable' }), [])
  t.equal(endOf('MgmtEvents.1.0.FanStopped'), undefined)
})
