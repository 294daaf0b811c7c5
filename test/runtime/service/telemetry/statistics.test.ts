import t from 'tap'
import { simSensors } from '#hal/sim/sensors.ts'
import { Statistics } from '#runtime/service/telemetry/statistics.ts'

t.test('the highest, the lowest and the average reading are counted, with the times of the first two', async (t) => {
  let now = 1000
  const device = simSensors({ sensors: [{ number: 1, kind: 'temperature', on: 20, standby: 20 }] })
  const statistics = new Statistics(
    new Map([['1', device]]),
    () => [{ number: 1 }, { number: 2 }],
    () => now
  )
  const tracked: string[] = []
  const reader = { track: (path: string) => tracked.push(path) } as never
  const of = statistics.members(reader).sensorStatistics
  t.equal(of('1', 1), undefined)
  for (const [reading, at] of [
    [30, 1000],
    [20, 2000],
    [40, 3000],
    [40, 4000],
    [20, 5000],
    [40, 6000],
    [20, 7000]
  ] as const) {
    device.faults.stuckAt = { 1: reading }
    now = at
    await device.poll()
  }
  const all = { highest: 40, highestAt: 3000, lowest: 20, lowestAt: 2000, since: 1000 }
  t.match(of('1', 1), { ...all, average: 30 })
  await device.poll()
  t.match(of('1', 1), { ...all, average: 28.75 }, 'a reading that stays counts with each poll')
  device.faults.unreadable = [1]
  await device.poll()
  t.match(of('1', 1), { ...all, average: 28.75 }, 'what cannot be read does not count')
  t.same([of('1', 2), of('2', 1)], [undefined, undefined])
  t.same([...new Set(tracked)], ['readings/1/polls', 'readings/2/polls'], 'an answer depends on the polls')
})

t.test('all power together is counted like a sensor, while every supply can be read', async (t) => {
  const supplies = [
    { number: 1, kind: 'power', on: 100, standby: 5 },
    { number: 2, kind: 'power', on: 100, standby: 5 }
  ] as const
  const device = simSensors({ sensors: supplies })
  const statistics = new Statistics(
    new Map([['1', device]]),
    () => supplies,
    () => 7
  )
  const total = () => statistics.members({ track: () => undefined } as never).sensorStatistics('1', 'TotalPower')
  t.equal(total(), undefined)
  for (const [one, other] of [
    [100, 50],
    [60, 150]
  ] as const) {
    device.faults.stuckAt = { 1: one, 2: other }
    await device.poll()
  }
  device.faults.unreadable = [1]
  await device.poll()
  t.match(total(), { lowest: 150, highest: 210, average: 180 })
  statistics.reset('1', 'TotalPower')
  t.equal(total(), undefined, 'while it cannot be read, nothing is counted')
  device.faults.unreadable = []
  await device.poll()
  statistics.reset('1')
  t.match(total(), { since: 7, lowest: 210, highest: 210, average: 210 })
  t.match(statistics.members({ track: () => undefined } as never).sensorStatistics('1', 1), { lowest: 60, highest: 60 })
})
