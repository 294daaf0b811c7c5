// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { Sensor, Sensors } from '#hal/sensors.ts'
import { sensorsContract } from '#test/hal/contracts/sensors.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { sensors } = openbmcDevices()
const root = '/xyz/openbmc_project/sensors'
const all: Sensor[] = [
  { number: 1, kind: 'temperature', on: 60, standby: 20 },
  { number: 2, kind: 'fan', on: 30, standby: 10 },
  { number: 3, kind: 'power', on: 200, standby: 10 }
]
const inputs = {
  1: { object: 'temperature/CPU0' },
  2: { object: 'fan_tach/Fan1', most: 16_000 },
  3: { object: 'power/PSU0_Input_Power' }
}

async function started(t: Test, options = {}) {
  const bus = await TestBus.start(t)
  return { bus, daemons: await OpenbmcSimulator.start(t, bus, options) }
}

const open = (socket: string, more: object = {}) =>
  sensors({ name: 'sensors-1', sensors: all, inputs, socket, warn: () => undefined, ...more })

/** Waits until a sensor reads something else. */
function next(device: Sensors, number: number): Promise<number | undefined> {
  const before = device.read(number)
  return new Promise((resolve) => {
    const stop = device.on(() => {
      if (device.read(number) === before) return
      stop()
      resolve(device.read(number))
    })
  })
}

sensorsContract(t, 'openbmc', async () => {
  const { bus } = await started(t)
  return { sensors: open(bus.socket), known: 1, unknown: 99 }
})

t.test('two sensors may show the same object', async (t) => {
  const { bus, daemons } = await started(t)
  const device = open(bus.socket, {
    sensors: [...all, { number: 4, kind: 'voltage', on: 12, standby: 12 }],
    inputs: { ...inputs, 3: { object: 'voltage/P12V' }, 4: { object: 'voltage/P12V' } }
  })
  t.teardown(() => device.close())
  await device.poll()
  t.same([device.read(3), device.read(4)], [12, 12.05], 'watts are whole, volts are not')
  const lower = next(device, 4)
  await daemons.set(`${root}/voltage/P12V`, 'Sensor.Value', 'Value', 11.4)
  t.same([await lower, device.read(3)], [11.4, 11], 'both follow it')
})

t.test('degrees, percent of full speed and watts, as the daemons publish them and as soon as they do', async (t) => {
  const { bus, daemons } = await started(t)
  const device = open(bus.socket)
  t.teardown(() => device.close())
  await device.poll()
  t.same(
    [1, 2, 3].map((number) => device.read(number)),
    [52, 45, 214]
  )
  const warmer = next(device, 1)
  await daemons.set(`${root}/temperature/CPU0`, 'Sensor.Value', 'Value', 60)
  t.equal(await warmer, 60)
})

t.test('a sensor that is unavailable, gone, or of another type has no reading, and the others have', async (t) => {
  const { bus, daemons } = await started(t)
  const [supply, processor] = [`${root}/power/PSU0_Input_Power`, `${root}/temperature/CPU0`]
  await daemons.set(supply, 'State.Decorator.Availability', 'Available', false)
  const device = open(bus.socket)
  t.teardown(() => device.close())
  await device.poll()
  t.same([device.read(1), device.read(3)], [52, undefined])
  const [back] = [next(device, 3)]
  await daemons.set(supply, 'State.Decorator.Availability', 'Available', true)
  t.equal(await back, 214)
  for (const content of ['NaN', 'Infinity', '-Infinity']) {
    const lost = next(device, 1)
    await daemons.set(processor, 'Sensor.Value', 'Value', content)
    t.equal(await lost, undefined, content)
    const found = next(device, 1)
    await daemons.set(processor, 'Sensor.Value', 'Value', -3)
    t.equal(await found, -3)
  }
  const wrong = next(device, 1)
  await daemons.mistype(processor, 'Sensor.Value', 'Value', 's', '7')
  t.equal(await wrong, undefined)
  const found = next(device, 1)
  await daemons.set(processor, 'Sensor.Value', 'Value', 52)
  t.equal(await found, 52)
  const gone = next(device, 1)
  await daemons.remove(processor, 'Sensor.Value')
  t.equal(await gone, undefined)
  t.equal(device.read(2), 45)
})

t.test('a daemon that dies takes its readings with it, until it is back', async (t) => {
  const { bus, daemons } = await started(t)
  const device = open(bus.socket)
  t.teardown(() => device.close())
  await device.poll()
  const lost = next(device, 2)
  await daemons.kill('FanSensor')
  t.equal(await lost, undefined)
  t.equal(device.read(1), 52)
  const back = next(device, 2)
  await daemons.start('FanSensor')
  t.equal(await back, 45)
  const alone = open('/nowhere')
  t.teardown(() => alone.close())
  await t.rejects(alone.poll(), { code: 'EIO' })
})

t.test('daemons that start later are found by the mapper, also one that itself starts later', async (t) => {
  const { bus, daemons } = await started(t, { without: ['FanSensor', 'ObjectMapper'] })
  const device = open(bus.socket)
  t.teardown(() => device.close())
  await t.rejects(device.poll(), { code: 'EIO' })
  const found = next(device, 1)
  await daemons.start('ObjectMapper')
  t.equal(await found, 52)
  t.equal(device.read(2), undefined)
  const later = next(device, 2)
  await daemons.start('FanSensor')
  t.equal(await later, 45)
})

t.test('a service that tells about the objects of others is not believed', async (t) => {
  const { bus, daemons } = await started(t, { hostile: true })
  const device = open(bus.socket, { inputs: { 1: { object: 'temperature/Inlet' }, 2: inputs[2] } })
  t.teardown(() => device.close())
  await device.poll()
  t.equal(device.read(1), 24)
  await daemons.forge()
  const after = next(device, 2)
  await daemons.set(`${root}/fan_tach/Fan1`, 'Sensor.Value', 'Value', 8000)
  t.equal(await after, 50)
  t.equal(device.read(1), 24)
})

t.test('a mistake in a board file is reported in one sentence', async (t) => {
  t.throws(() => open('/nowhere', { inputs: { 9: { object: 'a' } } }), {
    code: 'EINVAL',
    message: 'sensors-1: there is no sensor 9'
  })
  t.throws(() => open('/nowhere', { inputs: { 2: { object: 'a', most: 0 } } }), {
    code: 'EINVAL',
    message: /must be above 0/
  })
})

t.test('parts have failed, are unavailable, or have a lit fault lamp, as the bus tells', async (t) => {
  const { bus, daemons } = await started(t)
  const inside = 'system/chassis/motherboard'
  const board = `/xyz/openbmc_project/inventory/${inside}`
  const lamp = '/xyz/openbmc_project/led/groups/fan0_fault'
  const device = open(bus.socket, {
    parts: {
      'fans/fan0': { object: `${inside}/fan0`, lamp: 'fan0_fault' },
      'powerSupplies/1': { object: `${inside}/powersupply1` },
      'memory/none': { object: `${inside}/none`, lamp: 'none' }
    }
  })
  t.teardown(() => device.close())
  await device.poll()
  t.same(device.partFaults, {})
  const seen = (faults: object) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (JSON.stringify(device.partFaults) !== JSON.stringify(faults)) return
        stop()
        resolve()
      }
      const stop = device.on(look)
      look()
    })
  await daemons.set(lamp, 'Led.Group', 'Asserted', true)
  await seen({ 'fans/fan0': 'lamp' })
  await daemons.set(`${board}/fan0`, 'State.Decorator.OperationalStatus', 'Functional', false)
  await seen({ 'fans/fan0': 'failed' })
  await daemons.set(`${board}/powersupply1`, 'State.Decorator.Availability', 'Available', false)
  await seen({ 'fans/fan0': 'failed', 'powerSupplies/1': 'unavailable' })
  await daemons.set(`${board}/powersupply1`, 'State.Decorator.OperationalStatus', 'Functional', false)
  await seen({ 'fans/fan0': 'failed', 'powerSupplies/1': 'failed' })
  const later = next(device, 1)
  await daemons.kill('Inventory.Manager')
  await daemons.set(`${root}/temperature/CPU0`, 'Sensor.Value', 'Value', 71)
  await later
  t.same(device.partFaults, { 'fans/fan0': 'failed', 'powerSupplies/1': 'failed' }, 'while its daemon is away')
  await daemons.start('Inventory.Manager')
  await daemons.mistype(`${board}/powersupply1`, 'State.Decorator.OperationalStatus', 'Functional', 's', 'no')
  await daemons.set(`${board}/powersupply1`, 'State.Decorator.Availability', 'Available', true)
  await daemons.set(`${board}/fan0`, 'State.Decorator.OperationalStatus', 'Functional', true)
  await daemons.set(lamp, 'Led.Group', 'Asserted', false)
  await seen({})
})
