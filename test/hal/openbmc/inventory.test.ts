// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(120_000)

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
  const { system, processors, memory, storage, chassis } = device.read()
  t.match(system, { model: 'RS-2000', serialNumber: 'RS00042', uuid: '0b8c9f6e-6f1d-4c5b-9a55-1d2f7f0c6e21' })
  t.same(Object.keys(processors), ['cpu0', 'cpu1'])
  t.match(processors.cpu1, { socket: 'CPU1', cores: 4, threads: 8, maxSpeedMHz: 3800, model: 'XP-6430' })
  t.equal(Object.keys(memory).length, 16)
  t.match(memory.dimm9, { location: 'DIMM_E1', socket: 2, slot: 2, capacityMiB: 32768, speed: 4400, ranks: 2 })
  t.same(Object.keys(storage.Storage_0?.drives ?? {}), ['drive0', 'drive1', 'drive2', 'drive3'])
  t.match(storage.Storage_0?.drives.drive2, { bay: 'P2', capacityBytes: 3_840_755_982_336, protocol: 'NVMe' })
  t.same(Object.keys(chassis), ['Mainboard', 'Rack_Server'])
  t.match(chassis.Mainboard, { name: 'Mainboard', model: 'MB-2S', containedBy: 'Rack_Server', sensors: [] })
  const { sensors = [], supplies = [], pcieDevices, pcieSlots, type } = chassis.Rack_Server ?? {}
  t.equal(type, 'RackMount')
  t.same(
    supplies.map(({ bay, serialNumber, measures, power }) => [bay, serialNumber, measures, power?.id]),
    [
      [0, 'PSU00000', 'Input', 'power_PSU0_Input_Power'],
      [1, 'PSU00001', 'Input', 'power_PSU1_Input_Power']
    ]
  )
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
  t.match(
    sensors.find(({ id }) => id === 'fantach_Fan3'),
    { kind: 'fan' }
  )
  t.equal(new Set(sensors.map(({ number }) => number)).size, sensors.length)
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
  t.equal(Object.keys(device.read().processors).length, 2)
})
