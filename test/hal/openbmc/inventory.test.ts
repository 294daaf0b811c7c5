// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const devices = openbmcDevices()
const root = '/xyz/openbmc_project/inventory'
const board = `${root}/system/chassis/motherboard`
const rack = `${root}/system/chassis/Rack_Server`
const inside = [['contained_by', 'containing', rack]]

async function opened(t: Test, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const device = devices.inventory({ name: 'inventory', socket: bus.socket, warn: () => undefined, settleTime: 100 })
  t.teardown(() => device.close())
  await device.settled
  const changed = () =>
    new Promise<void>((resolve) => {
      const stop = device.on(() => {
        stop()
        resolve()
      })
    })
  return { daemons, device, changed }
}

t.test('parts have the names and the labels that the daemons tell, each in its chassis', async (t) => {
  const { device } = await opened(t)
  const { system, processors, memory, storage, cables, chassis } = device.read()
  t.match(system, { model: 'RS-2000', serialNumber: 'RS00042', uuid: '0b8c9f6e-6f1d-4c5b-9a55-1d2f7f0c6e21' })
  t.same(Object.keys(processors), ['cpu0', 'cpu1'])
  t.match(processors.cpu1, { socket: 'CPU1', cores: 4, threads: 8, maxSpeedMHz: 3800, model: 'XP-6430' })
  t.equal(Object.keys(memory).length, 16)
  t.match(memory.dimm9, { type: 'DDR5', moduleType: 'RDIMM', errorCorrection: 'MultiBitECC' })
  t.match(memory.dimm9, { location: 'DIMM_E1', socket: 2, slot: 2, capacityMiB: 32768, speed: 4400, ranks: 2 })
  t.same(Object.keys(storage.Storage_0?.drives ?? {}), ['drive0', 'drive1', 'drive2', 'drive3'])
  t.match(storage.Storage_0?.drives.drive2, { bay: 'P2', capacityBytes: 3_840_755_982_336, protocol: 'NVMe' })
  t.same(Object.keys(chassis), ['Mainboard', 'Rack_Server'])
  t.match(chassis.Mainboard, { name: 'Mainboard', model: 'MB-2S', containedBy: 'Rack_Server', sensors: [] })
  const { sensors = [], supplies = [], pcieDevices, pcieSlots, type } = chassis.Rack_Server ?? {}
  t.equal(type, 'RackMount')
  t.equal(chassis.Rack_Server?.assetTag, 'rack 7')
  t.notOk('assetTag' in system, 'its tag is empty')
  t.same(
    supplies.map(({ id, serialNumber, measures, power }) => [id, serialNumber, measures, power?.id]),
    [
      ['powersupply0', 'PSU00000', 'Input', 'power_PSU0_Input_Power'],
      ['powersupply1', 'PSU00001', 'Input', 'power_PSU1_Input_Power']
    ]
  )
  t.match(supplies[0], { sparePartNumber: 'PS1600-S', serviceLabel: 'E0', productionDate: '2026-03-14T00:00:00Z' })
  t.match(pcieDevices?.card0, { name: 'Network adapter', generation: 'Gen4', lanes: 8 })
  t.match(pcieDevices?.card0?.functions, [{ classCode: '0x020000', vendorId: '0x8086', deviceId: '0x1593' }])
  t.match(pcieSlots, [
    { label: 'C0', device: 'card0', generation: 'Gen5', lanes: 16 },
    { label: 'C1', device: 'card1' }
  ])
  t.match(
    sensors.find(({ id }) => id === 'voltage_P12V'),
    { name: 'P12V', kind: 'voltage' }
  )
  t.match(chassis.Rack_Server?.fans[3], {
    id: 'fan3',
    serialNumber: 'FAN00003',
    serviceLabel: 'A3',
    speed: { id: 'fantach_Fan3', kind: 'fan' }
  })
  t.equal(new Set(sensors.map(({ number }) => number)).size, sensors.length)
  t.match(storage.Storage_0?.controller, { model: 'SC-16' })
  t.same(cables.cable0, {
    ...{ name: 'Cable to the drives', type: 'Copper', lengthMeters: 0.75, serviceLabel: 'K0' },
    ...{ manufacturer: 'Example', model: 'CB-75', partNumber: 'CB75', serialNumber: 'CAB00001' },
    ...{ upstream: 'Rack_Server', downstream: 'Rack_Server' }
  })
})

t.test('a part has what tells whether it works: its object, and its fault lamp if it has one', async (t) => {
  const { device } = await opened(t)
  const { parts, chassis } = device.read()
  const inside = 'system/chassis/motherboard'
  t.match(parts, {
    'processors/cpu1': { object: `${inside}/cpu1` },
    'cores/cpu1/cpu1_core3': { object: `${inside}/cpu1/core3` },
    'memory/dimm9': { object: `${inside}/dimm9` },
    'drives/Storage_0/drive2': { object: 'system/storage/Storage_0/drive2' },
    'controllers/Storage_0': { object: 'system/storage/Storage_0' },
    'cables/cable0': { object: 'system/cable0' }
  })
  t.same(chassis.Mainboard?.parts, { 'chassis/Mainboard': { object: 'system/board/Mainboard' } })
  t.match(chassis.Rack_Server?.parts, {
    'chassis/Rack_Server': { object: 'system/chassis/Rack_Server', lamp: 'enclosure_fault' },
    'powerSupplies/powersupply0': { object: `${inside}/powersupply0` },
    'fans/fan0': { object: `${inside}/fan0`, lamp: 'fan0_fault' },
    'pcieDevices/card1': { object: `${inside}/pcieslot1/card1` }
  })
})

t.test('the cores of a processor that does not tell their number are counted', async (t) => {
  const { daemons, device } = await opened(t)
  await daemons.set(`${board}/cpu1`, 'Inventory.Item.Cpu', 'CoreCount', 0)
  await daemons.set(`${board}/cpu1/core2`, 'Inventory.Item', 'Present', false)
  const until = () => device.read().processors.cpu1?.cores === 3
  for (let tries = 0; tries < 3000 && !until(); tries += 1) await sleep(20)
  t.equal(device.read().processors.cpu1?.cores, 3)
})

t.test('a fan with two rotors is two fans with its label, and a supply without a sensor is one', async (t) => {
  const { daemons, device, changed } = await opened(t)
  device.read()
  const added = changed()
  await daemons.add('FanSensor', '/xyz/openbmc_project/sensors/fan_tach/Fan3b', {
    'Sensor.Value': { Value: 5000, MaxValue: 16_000, MinValue: 0, Unit: 'RPMS' },
    'Association.Definitions': {
      Associations: [
        ['chassis', 'all_sensors', rack],
        ['inventory', 'sensors', `${board}/fan3`]
      ]
    }
  })
  await daemons.add('Inventory.Manager', `${board}/powersupply2`, {
    'Inventory.Item': { PrettyName: 'Third' },
    'Inventory.Item.PowerSupply': {},
    'Association.Definitions': { Associations: [['powering', 'powered_by', rack]] }
  })
  await added
  const { fans = [], supplies = [] } = device.read().chassis.Rack_Server ?? {}
  t.same(
    fans.slice(2, 6).map(({ id, serialNumber }) => [id, serialNumber]),
    [
      ['fan2', 'FAN00002'],
      ['Fan3', 'FAN00003'],
      ['Fan3b', 'FAN00003'],
      ['fan4', 'FAN00004']
    ]
  )
  t.match(supplies[2], { id: 'powersupply2', name: 'Third', bay: 2 })
  t.equal(supplies[2]?.power, undefined)
})

t.test('ids are unique, also where the name of one part is the longer name of another', async (t) => {
  const { daemons, device, changed } = await opened(t)
  device.read()
  const added = changed()
  const names = [
    'motherboard/card0',
    'motherboard_card0',
    'Riser/card0',
    'Riser_card0',
    'Riser/a/card0',
    'Riser_a/card0'
  ]
  for (const name of names)
    await daemons.add('Inventory.Manager', `${root}/${name}`, { 'Inventory.Item.PCIeDevice': {}, 'Inventory.Item': {} })
  await added
  const cards = Object.values(device.read().chassis).flatMap(({ pcieDevices }) => Object.keys(pcieDevices))
  t.equal(cards.length, names.length + 2)
  t.equal(new Set(cards).size, cards.length)
})

t.test('associations in circles lead nowhere, and do no harm', async (t) => {
  const { daemons, device, changed } = await opened(t)
  device.read()
  const added = changed()
  const [one, other] = [`${root}/loop/one`, `${root}/loop/other`]
  for (const [path, to] of [
    [one, other],
    [other, one]
  ] as const)
    await daemons.add('Inventory.Manager', path, {
      'Inventory.Item.PowerSupply': {},
      'Inventory.Item.Cable': {},
      'Inventory.Item': {},
      'Association.Definitions': {
        Associations: [
          ['contained_by', 'containing', to],
          ['upstream_connector', 'attached_cables', to]
        ]
      }
    })
  await added
  const { chassis, cables } = device.read()
  t.same(
    chassis.Mainboard?.supplies.map(({ id }) => id),
    ['one', 'other'],
    'they are in the first chassis'
  )
  t.same(cables.one, { name: 'one' })
})

t.test(
  'a part that is added, absent or gone changes the inventory; a reading or a daemon that ends does not',
  async (t) => {
    const { daemons, device, changed } = await opened(t)
    const before = device.read()
    let changes = 0
    device.on(() => {
      changes += 1
    })
    await daemons.kill('Smbios.MDR_V2')
    await daemons.move(3)
    t.same(device.read(), before, 'what a daemon has said stays')
    const added = changed()
    await daemons.add('Inventory.Manager', `${board}/fan8`, { 'Inventory.Item.PCIeSlot': {}, 'Inventory.Item': {} })
    await added
    t.equal(changes, 1)
    device.read()
    const removed = changed()
    await daemons.set(`${board}/powersupply1`, 'Inventory.Item', 'Present', false)
    await removed
    t.equal(device.read().chassis.Rack_Server?.supplies.length, 1)
  }
)

t.test(
  'parts of the same name have the name of what is above them, too, and associations may be circles',
  async (t) => {
    const { daemons, device, changed } = await opened(t)
    device.read()
    const added = changed()
    await daemons.add('EntityManager', `${root}/system/board/Riser`, {
      'Inventory.Item.Board': {},
      'Association.Definitions': { Associations: inside }
    })
    await daemons.add('Inventory.Manager', `${root}/system/board/Riser/cpu0`, {
      'Inventory.Item.Cpu': { CoreCount: 2 },
      'Inventory.Item': {},
      'Association.Definitions': { Associations: [['contained_by', 'containing', `${root}/system/board/Riser/cpu0`]] }
    })
    await added
    const { processors, chassis } = device.read()
    t.same(Object.keys(processors).sort(), ['Riser_cpu0', 'cpu1', 'motherboard_cpu0'])
    t.equal(chassis.Riser?.containedBy, 'Rack_Server')
  }
)

t.test('values of wrong types are not known, and hostile objects do no harm', async (t) => {
  const { daemons, device } = await opened(t, { hostile: true })
  await daemons.mistype(`${board}/cpu0`, 'Inventory.Item.Cpu', 'MaxSpeedInMhz', 's', 'fast')
  const shown = () => Object.keys(device.read().processors).length
  for (let tries = 0; tries < 3000 && shown() < 2; tries += 1) await sleep(20)
  t.equal(shown(), 2)
})
