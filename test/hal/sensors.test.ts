import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { PowerState } from '#hal/power.ts'
import type { Sensor } from '#hal/sensors.ts'
import { type SimSensors, simSensors } from '#hal/sim/sensors.ts'
import { sensorsContract } from '#test/hal/contracts/sensors.ts'

const temperature: Sensor = { number: 1, kind: 'temperature', on: 60, standby: 20 }
const fan: Sensor = { number: 2, kind: 'fan', on: 30, standby: 10 }
const power: Sensor = { number: 3, kind: 'power', on: 200, standby: 10 }
const load: Sensor = { number: 4, kind: 'load', on: 40, standby: 0 }
const sensors = [temperature, fan, power, load]

sensorsContract(t, 'simulator', async () => ({ sensors: simSensors({ sensors }), known: 1, unknown: 99 }))

/** The machine, with its clock and its power in the hands of the test. */
function machine(seed = 1) {
  const world = { now: 1_750_000_000_000, state: 'On' as PowerState }
  const host = {
    get state() {
      return world.state
    }
  }
  const device = simSensors({ sensors, host, seed, now: () => world.now })
  return {
    world,
    device,
    async after(seconds: number) {
      world.now += seconds * 1000
      await device.poll()
      return sensors.map(({ number }) => device.read(number) as number)
    }
  }
}

async function course(seed: number): Promise<number[][]> {
  const { after } = machine(seed)
  const readings: number[][] = []
  for (let round = 0; round < 200; round += 1) readings.push(await after(5))
  return readings
}

t.test('machines of the same seed read the same at the same time, others do not', async (t) => {
  t.same(await course(1), await course(1))
  t.notSame(await course(1), await course(2))
})

t.test('seed, time and power decide each reading', async (t) => {
  const { world, device, after } = machine(7)
  for (const [seconds, state, readings] of [
    [0, 'On', [58, 29, 199, 36]],
    [10, 'On', [58, 29, 198, 35]],
    [60, 'On', [60, 30, 194, 37]],
    [600, 'Off', [20, 10, 10, 0]],
    [10, 'PoweringOn', [20, 10, 10, 0]],
    [30, 'On', [36, 18, 211, 43]],
    [30, 'PoweringOff', [47, 23, 206, 41]],
    [300, 'On', [59, 30, 224, 50]]
  ] as const) {
    world.state = state
    t.same(await after(seconds), readings)
  }
  await device.close()
  const hot = simSensors({
    sensors: [
      { ...load, on: 400 },
      { ...fan, on: 300 }
    ],
    seed: 7,
    now: () => world.now
  })
  await hot.poll()
  t.same([hot.read(4), hot.read(2)], [100, 100], 'a share is at most 100 %')
})

t.test('readings move smoothly around their usual values', async (t) => {
  const readings = await course(1)
  const of = (index: number) => readings.map((each) => each[index] as number)
  const limits = [
    [53, 67, 2],
    [26, 34, 2],
    [160, 240, 16],
    [8, 72, 12]
  ] as const
  limits.forEach(([low, high, step], index) => {
    const values = of(index)
    t.ok(new Set(values).size > 2, `sensor ${index + 1} moves`)
    t.ok(Math.min(...values) >= low && Math.max(...values) <= high, `${Math.min(...values)} to ${Math.max(...values)}`)
    const leaps = values.slice(1).map((value, place) => Math.abs(value - (values[place] as number)))
    t.ok(Math.max(...leaps) <= step, `sensor ${index + 1} leaps by ${Math.max(...leaps)}`)
  })
})

t.test('on standby power the load is 0, and temperatures fall slowly', async (t) => {
  const { world, after } = machine()
  const [warm = 0] = await after(5)
  world.state = 'Off'
  const [soon = 0, , watts, busy] = await after(5)
  t.same([watts, busy], [10, 0])
  t.ok(soon > 45 && soon < warm, `${warm}, then ${soon}`)
  t.same(await after(900), [20, 10, 10, 0])
})

t.test('after power-on the machine warms up, and fans follow', async (t) => {
  const { world, after } = machine()
  world.state = 'Off'
  await after(5)
  world.state = 'On'
  const courses: number[][] = []
  for (let round = 0; round < 12; round += 1) courses.push((await after(10)).slice(0, 2))
  const rises = (values: number[]) =>
    values.every((value, place) => place === 0 || value >= (values[place - 1] as number))
  t.ok(rises(courses.map(([degrees = 0]) => degrees)))
  t.ok(rises(courses.map(([, percent = 0]) => percent)))
  t.ok((courses[0]?.[0] ?? 99) < 35 && (courses.at(-1)?.[0] ?? 0) > 48, String(courses))
})

t.test('a sensor that cannot be read spoils no other one', async (t) => {
  const { device, after } = machine()
  device.faults.unreadable = [1]
  await after(5)
  t.equal(device.read(1), undefined)
  t.equal(typeof device.read(2), 'number')
  delete device.faults.unreadable
  await after(5)
  t.equal(typeof device.read(1), 'number')
})

t.test('stuckAt: a sensor shows this value in all states of the machine', async (t) => {
  const { device, after } = machine()
  device.faults.stuckAt = { 1: 99 }
  t.equal((await after(5))[0], 99)
})

t.test('stale: sensors keep their readings, also in the next process', async (t) => {
  const directory = t.testdir()
  const world = { now: 1_750_000_000_000 }
  const open = () => simSensors({ sensors, directory, now: () => world.now })
  const shown = async (device: SimSensors) => {
    world.now += 600_000
    await device.poll()
    return sensors.map(({ number }) => device.read(number))
  }
  const device = open()
  const before = await shown(device)
  device.faults.stale = true
  t.same(await shown(device), before)
  await device.close()
  const again = open()
  again.faults.stale = true
  t.same(await shown(again), before)
  again.faults.stale = false
  const fresh = await shown(again)
  t.notSame(fresh, before)
  again.faults.stale = true
  t.same(await shown(again), fresh)
  await again.close()
})

t.test('stale: kept readings that are not pairs of numbers are a warning, and are not shown', async (t) => {
  const directory = t.testdir()
  for (const held of [7, [7], [[1]], [[1, 2, 3]], [[1, 'x']], [{ length: 2 }]]) {
    const warnings: string[] = []
    writeFileSync(`${directory}/sensors.json`, JSON.stringify({ held }))
    const warn = (text: string) => warnings.push(text)
    const device = simSensors({ sensors, directory, faults: { stale: true }, warn })
    t.match(warnings, [/not a state of this device/], JSON.stringify(held))
    await device.poll()
    t.equal(typeof device.read(1), 'number')
    await device.close()
  }
})

t.test('stale from the start on: the first reading stays', async (t) => {
  const world = { now: 1_750_000_000_000 }
  const device = simSensors({ sensors, now: () => world.now, faults: { stale: true } })
  await device.poll()
  const first = device.read(4)
  world.now += 3_600_000
  await device.poll()
  t.equal(typeof first, 'number')
  t.equal(device.read(4), first)
})

t.test('failNext, busyFor and hang: all sensors are unknown, and listeners are called', async (t) => {
  const device = simSensors({ sensors, timeout: 0 })
  for (const [fault, code] of [
    [{ failNext: 'EIO' }, 'EIO'],
    [{ busyFor: 1 }, 'EBUSY'],
    [{ hang: true }, 'ETIMEDOUT']
  ] as const) {
    await device.poll()
    const heard: unknown[] = []
    const stop = device.on(() => heard.push(device.read(1)))
    Object.assign(device.faults, fault)
    await t.rejects(device.poll(), { name: 'HalError', code })
    stop()
    t.same(heard, [undefined])
    device.faults.hang = false
  }
  await device.poll()
  t.equal(typeof device.read(1), 'number')
})

t.test('parts count while the host works, and not while they are down or idle', async (t) => {
  const world = { now: 1_750_000_000_000, state: 'On' as PowerState }
  const host = {
    get state() {
      return world.state
    }
  }
  const device = simSensors({ sensors, host, now: () => world.now, idle: ['links/hba/2'] })
  const received = (part: string) => device.counters?.('links', part)?.receivedBytes as number
  const after = async (seconds: number) => {
    world.now += seconds * 1000
    await device.poll()
    return [received('nic/1'), received('nic/2')] as const
  }
  t.ok(device.counts?.('links', 'nic/1'))
  await device.poll()
  t.same(await after(0), [0, 0])
  const [one, two] = await after(60)
  t.ok(one > 1e8 && two > 1e8 && one !== two, `${one} and ${two} bytes in a minute`)
  t.equal(received('hba/2'), 0, 'nothing is plugged in')
  device.faults.parts = { 'links/nic/1': 'down' }
  await after(0)
  const [held, more] = await after(60)
  t.equal(held, one)
  t.ok(more > two)
  t.equal(device.counters?.('links', 'nic/1')?.receivedErrors, 6)
  device.faults.parts = {}
  await after(0)
  await after(60)
  t.ok(received('nic/1') > held, 'the link is up again')
  world.state = 'Off'
  await after(0)
  const off = await after(60)
  t.same(await after(60), off, 'a host that is off sends nothing')
})

t.test('memory and processors of a host that is on use a share of their bandwidth', async (t) => {
  const world = { now: 1_750_000_000_000, state: 'On' as const as PowerState }
  const host = {
    get state() {
      return world.state
    }
  }
  const device = simSensors({ sensors, host, now: () => world.now, idle: ['processors/2'] })
  const after = async (seconds: number) => {
    world.now += seconds * 1000
    await device.poll()
    const bandwidth = (kind: 'memory' | 'processors', part: string) => device.counters?.(kind, part)?.bandwidth
    return [bandwidth('memory', 'dimm1'), bandwidth('processors', '1'), bandwidth('processors', '2')] as number[]
  }
  await after(0)
  const [memory, processor, idle] = (await after(30)) as [number, number, number]
  t.ok(0 < memory && memory < processor && processor <= 100, `${memory} % and ${processor} %`)
  t.equal(idle, 0)
  world.state = 'Off'
  t.same(await after(30), [0, 0, 0])
})

t.test('errors grow while a part has a fault, and throttling while a limit holds the power down', async (t) => {
  const world = { now: 1_750_000_000_000 }
  const limit: { watts: number | undefined } = { watts: undefined }
  const device = simSensors({ sensors, limit, now: () => world.now })
  const after = async (seconds: number) => {
    world.now += seconds * 1000
    await device.poll()
  }
  const all = () => ({
    memory: device.counters?.('memory', 'dimm1') ?? { correctable: 0, uncorrectable: 0 },
    drive: device.counters?.('drives', 'slot3/1'),
    throttled: device.counters?.('processors', '1')?.throttled
  })
  await after(0)
  const before = all()
  device.faults.parts = { 'memory/dimm1': 'correctable', 'drives/slot3/1': 'predicted' }
  limit.watts = 20
  await after(0)
  await after(30)
  const { memory, drive, throttled } = all()
  const { correctable, uncorrectable } = before.memory
  t.match(memory, { correctable: correctable + 3, uncorrectable })
  t.match(drive, { badBlocks: 3, uncorrectableReads: 0, correctableReads: before.drive!.correctableReads + 9 })
  t.ok(drive!.readKiB > before.drive!.readKiB && drive!.hours === before.drive!.hours)
  t.same([before.throttled, throttled], [0, 30])
  limit.watts = undefined
  await after(0)
  await after(30)
  t.equal(all().throttled, 30)
})
