import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { simSensors } from '#hal/sim/sensors.ts'
import { EnergyMeters } from '#runtime/service/telemetry/energy.ts'
import { Samples } from '#runtime/service/telemetry/samples.ts'
import { pollsOf } from '#runtime/store/revisions.ts'
import { Store } from '#runtime/store/store.ts'
import { openFixture } from '#test/runtime/service.ts'

const sensors = [
  { number: 1, kind: 'power', on: 100, standby: 5 },
  { number: 2, kind: 'power', on: 100, standby: 5 }
] as const

/** A meter of two supplies that is saved every hundred seconds. */
async function metered(t: Test) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  let writes = 0
  let refuses = false
  const counting = {
    ...{ get: store.get.bind(store), log: store.log },
    commit: async (...args: Parameters<Store['commit']>) => {
      writes += 1
      if (refuses) throw new Error('the disk is full')
      return store.commit(...args)
    }
  } as unknown as Store
  let seconds = 0
  const clock = { now: () => 1_750_000_000_000 + seconds * 1000, elapsed: () => seconds * 1000 }
  const open = () => {
    const device = simSensors({ sensors })
    return { device, meters: new EnergyMeters(counting, new Map([['1', device]]), () => [1, 2], clock, 100) }
  }
  let { device, meters } = open()
  return {
    get device() {
      return device
    },
    log: store.log,
    set refuses(value: boolean) {
      refuses = value
    },
    get writes() {
      return writes
    },
    get meters() {
      return meters
    },
    energy: () => meters.members({ track: () => undefined } as never).energy('1'),
    /** The kept joules, after these watts at this time. */
    async draws(watts: number, after: number) {
      device.faults.stuckAt = { 1: watts / 2, 2: watts / 2 }
      seconds += after
      await device.poll()
      // Completes after the commits of the poll.
      await store.commit({})
      return meters.members({ track: () => undefined } as never).energy('1')?.joules
    },
    stored: () => store.get('energy', '1')?.joules,
    /** Another process, after an orderly end or a power cut. */
    async restarts(isOrderly: boolean) {
      if (isOrderly) await meters.close()
      await device.close()
      ;({ device, meters } = open())
    }
  }
}

t.test('energy is the power over time, halfway between two polls', async (t) => {
  const { draws, energy, device } = await metered(t)
  t.same(energy(), { joules: 0, since: 1_750_000_000_000, watts: undefined, at: 0, storedAt: 0 })
  t.equal(await draws(100, 5), 0, 'nothing is known of the time before the first poll')
  t.equal(await draws(300, 10), 2000)
  t.equal(await draws(300, 5), 3500)
  device.faults.unreadable = [2]
  t.equal(await draws(300, 5), 3500, 'nor of the time in which a supply cannot be read')
  device.faults.unreadable = []
  t.equal(await draws(300, 5), 3500)
  t.equal(await draws(100, 5), 4500)
})

t.test('it is stored every so often and at the end, and counted on from there', async (t) => {
  const meter = await metered(t)
  await meter.draws(100, 0)
  for (let polls = 0; polls < 60; polls += 1) await meter.draws(100, 5)
  t.equal(meter.writes, 3, 'three writes in 300 seconds')
  await meter.draws(100, 50)
  t.equal(meter.stored(), 30_000)
  await meter.restarts(false)
  t.equal(meter.energy()?.joules, 30_000, 'a power cut loses what was counted since')
  await meter.draws(200, 10)
  t.equal(await meter.draws(200, 10), 32_000)
  await meter.restarts(true)
  t.equal(meter.energy()?.joules, 32_000, 'an orderly end loses nothing')
})

t.test('a chassis without supplies has no energy, and an answer with energy depends on the polls', async (t) => {
  const { device, meters } = await metered(t)
  const clock = { now: () => 0, elapsed: () => 0 }
  const unsupplied = new EnergyMeters({} as Store, new Map([['1', device]]), () => [], clock, 100)
  const paths: string[] = []
  const reader = { track: (path: string) => paths.push(path) } as never
  t.equal(unsupplied.members(reader).energy('1'), undefined)
  meters.members(reader).energy('2')
  t.same(paths, [pollsOf('1'), pollsOf('2')])
  await device.poll()
  await unsupplied.close()
})

t.test('energy that does not grow is not written', async (t) => {
  const meter = await metered(t)
  await meter.draws(100, 0)
  await meter.draws(100, 100)
  t.equal(meter.writes, 1)
  await meter.draws(0, 0)
  for (let polls = 0; polls < 3; polls += 1) await meter.draws(0, 100)
  await meter.restarts(true)
  t.equal(meter.writes, 1)
  t.match(meter.energy(), { joules: 10_000, since: 1_750_000_000_000 }, 'counted since the first start')
})

t.test('energy that the disk refuses is logged, and stored the next time', async (t) => {
  const meter = await metered(t)
  const lines = t.capture(meter.log, 'warning', () => {})
  meter.refuses = true
  await meter.draws(100, 0)
  await meter.draws(100, 100)
  t.match(
    lines().map(({ args }) => args),
    [['the counted energy was not stored', { chassis: '1', cause: 'the disk is full' }]]
  )
  meter.refuses = false
  await meter.draws(100, 50)
  t.equal(meter.stored(), undefined, 'not before its time')
  await meter.draws(100, 50)
  t.equal(meter.stored(), 20_000)
})

t.test('a reset is durable, and begins a new time', async (t) => {
  const { draws, meters, energy, stored } = await metered(t)
  await draws(100, 0)
  await draws(100, 60)
  await meters.reset('1')
  t.match([energy(), stored()], [{ joules: 0, since: 1_750_000_060_000 }, 0])
  t.equal(await draws(100, 10), 1000)
  await meters.reset('2')
})

t.test('the sensors of the total power show the values of EnvironmentMetrics, and are reset with it', async (t) => {
  const fixture = await openFixture((each) => Object.assign(each.sensors, { energySaveEvery: 3600 }))
  t.teardown(() => fixture.close())
  const chassis = '/redfish/v1/Chassis/1'
  const get = async (path: string) => (await fixture.ask('GET', `${chassis}/${path}/`)).json
  const draws = async (watts: number, after = 0) => {
    fixture.sensors['1']!.faults.stuckAt = { 31: watts - 100, 32: 100 }
    fixture.sleep(after)
    await fixture.sensors['1']!.poll()
  }
  const reset = async (path: string) => t.equal((await fixture.ask('POST', `${chassis}/${path}/`, {})).status, 200)
  await draws(300)
  await reset('EnvironmentMetrics/Actions/EnvironmentMetrics.ResetMetrics')
  await draws(300, 1800)
  await draws(500)
  await draws(200)
  const energy = await get('Sensors/TotalEnergy')
  t.match(energy, { Reading: 0.15, ReadingType: 'EnergykWh', ReadingUnits: 'kW.h', Status: { Health: 'OK' } })
  const power = await get('Sensors/TotalPower')
  t.match(power, { Reading: 200, PeakReading: 500, LowestReading: 200, AverageReading: 325, ReadingUnits: 'W' })
  const { EnergykWh, PowerWatts } = await get('EnvironmentMetrics')
  t.same(
    [EnergykWh, PowerWatts],
    [
      { DataSourceUri: energy['@odata.id'], Reading: 0.15 },
      { DataSourceUri: power['@odata.id'], Reading: 200 }
    ]
  )
  await fixture.restart()
  t.match(await get('Sensors/TotalEnergy'), { Reading: 0.15 }, 'the energy outlives a restart')
  await draws(400)
  await reset('Sensors/TotalPower/Actions/Sensor.ResetMetrics')
  t.match(await get('Sensors/TotalPower'), { PeakReading: 400, LowestReading: 400, AverageReading: 400 })
  t.match(await get('Sensors/TotalEnergy'), { Reading: 0.15 }, 'another sensor is not reset')
  await reset('Sensors/TotalEnergy/Actions/Sensor.ResetMetrics')
  t.match(await get('Sensors/TotalEnergy'), { Reading: 0 })
  await draws(200)
  t.match(await get('Sensors/31'), { PeakReading: 300 })
  await reset('Sensors/31/Actions/Sensor.ResetMetrics')
  t.match(await get('Sensors/31'), { PeakReading: 100, LowestReading: 100 })
})

t.test(
  'the power of an interval is that of the last hour, of steps of a minute where samples are not kept',
  async (t) => {
    const samples = new Samples([{ uri: 'power', chassis: '1', sensor: 'TotalPower', sensors: [1, 2] }], 3, 120)
    let minutes = 0
    const take = (watts: number | undefined) => {
      minutes += 2
      samples.update('1', new Set([1, 2]), (sensor) => (sensor === 1 ? watts : 10))
      samples.take({ now: () => 0, elapsed: () => minutes * 60_000 })
    }
    t.equal(samples.summary('power'), undefined)
    take(890)
    t.same(samples.summary('power'), { minimum: 900, maximum: 900, average: 900, duration: 0 })
    for (const watts of [290, 390, 240]) take(watts)
    t.same(samples.summary('power'), { minimum: 250, maximum: 900, average: 462.5, duration: 360_000 })
    take(undefined)
    t.same(
      samples.summary('power'),
      { minimum: 250, maximum: 900, average: 462.5, duration: 480_000 },
      'what is unknown does not count'
    )
    for (let times = 0; times < 60; times += 1) take(undefined)
    t.same([samples.summary('power'), samples.summary('other')], [undefined, undefined])
  }
)
