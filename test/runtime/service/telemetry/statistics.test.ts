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
    [20, 5000]
  ] as const) {
    device.faults.stuckAt = { 1: reading }
    now = at
    await device.poll()
  }
  const all = { highest: 40, highestAt: 3000, lowest: 20, lowestAt: 2000, since: 1000 }
  t.match(of('1', 1), { ...all, average: 30 })
  device.faults.unreadable = [1]
  await device.poll()
  t.match(of('1', 1), { ...all, average: 30 }, 'what cannot be read does not count')
  t.same([of('1', 2), of('2', 1)], [undefined, undefined])
  t.same([...new Set(tracked)], ['readings/1', 'readings/2'], 'an answer depends on the readings')
})
