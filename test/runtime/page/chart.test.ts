import t from 'tap'
import {
  extremesPath,
  historyPoints,
  joined,
  linePath,
  nearest,
  type Point,
  placeIn,
  scaleOf,
  ticks,
  timeTicks
} from '#runtime/page/rules/chart.ts'
import { byNeed, criticalLimit, readingsAs, thresholdsOf } from '#runtime/page/rules/sensors.ts'
import type { Sensor } from '#runtime/page/types.ts'

const point = (time: number, value: number | null): Point => ({ time, value })

t.test('a step of a history is a point in its middle, with its extremes', async (t) => {
  t.same(historyPoints({ Average: [null, 20], Maximum: [null, 25], Minimum: [null, 15] }, 1000, 100), [
    { time: 850, value: null },
    { time: 950, value: 20, least: 15, greatest: 25 }
  ])
  t.same(historyPoints(undefined, 1000, 100), [])
})

t.test('live readings follow the history, and only those of the range are shown', async (t) => {
  const all = joined([point(1, 1), point(10, 2)], [point(9, 8), point(11, 3)], 5)
  t.same(all, [point(10, 2), point(11, 3)])
})

t.test('a scale has room around all values, and the limits that are near', async (t) => {
  const values = [point(0, 40), point(1, null), { time: 2, value: 50, least: 30, greatest: 60 }]
  const { low, high } = scaleOf(values, [70, 500], 0, 2)
  t.ok(low < 30 && low > 20, String(low))
  t.ok(high > 70 && high < 80, String(high))
  t.ok(scaleOf([point(0, 0)], [], 0, 1).high > 0, 'also where all values are the same')
  t.equal(scaleOf([point(0, 0.01)], [], 0, 1).low, 0, 'and not below zero for nothing')
  t.ok(scaleOf([point(0, -20)], [], 0, 1).low < -20)
  t.same(Object.values(scaleOf([], [], 3, 4)).slice(0, 2), [3, 4])
})

t.test('marks are round, and no more than there is room for', async (t) => {
  t.same(ticks(0, 100, 5), [0, 20, 40, 60, 80, 100])
  t.same(ticks(21.3, 23.1, 4), [21.5, 22, 22.5, 23])
  t.same(ticks(0.01, 0.04, 3), [0.01, 0.02, 0.03, 0.04])
  for (let high = 1; high < 5000; high *= 3) t.ok(ticks(0, high, 6).length <= 7, String(high))
  const hour = 3_600_000
  const times = timeTicks(1_700_000_123_456, 1_700_000_123_456 + hour, 7)
  t.equal(times.length, 6)
  for (const each of times) t.equal(each % 600_000, 0)
  t.ok(timeTicks(0, 40 * 24 * hour, 5).length <= 41, 'a long range has days')
})

t.test('a line is inside of its drawing, and is broken where nothing was measured', async (t) => {
  const points = [point(0, 10), point(5, null), point(10, 20), point(20, 30)]
  const place = placeIn({ from: 0, to: 20, low: 10, high: 30 }, 200, 100)
  t.equal(linePath(points, place), 'M0 100M100 50L200 0')
  t.equal(extremesPath(points, place), '', 'without extremes')
  const wide = points.map((each) => ({ ...each, least: 10, greatest: 30 }))
  t.equal(extremesPath(wide, place), 'M0 0L100 0L200 0L200 100L100 100L0 100Z')
  t.same(nearest(points, 13), point(10, 20))
  t.equal(nearest([], 13), undefined)
})

const sensor = (Name: string, Health: string, Reading: number, limit: number | null, Id = '1') =>
  ({ Id, Name, Reading, Status: { Health }, Thresholds: { UpperCritical: { Reading: limit } } }) as Sensor

t.test('the worst sensors are first, then those that are nearest to their limits', async (t) => {
  const all = [
    sensor('cool', 'OK', 20, 90),
    sensor('hot', 'OK', 80, 90),
    sensor('broken', 'Critical', 0, 90),
    sensor('unlimited', 'OK', 99, null)
  ]
  t.same(
    byNeed(all, (each) => criticalLimit(each)).map(({ Name }) => Name),
    ['broken', 'hot', 'cool', 'unlimited']
  )
})

t.test('a limit is the own one of a sensor, or that of Thermal', async (t) => {
  const thermal = { Temperatures: [{ SensorNumber: 7, UpperThresholdCritical: 60 }] } as never
  t.equal(criticalLimit(sensor('own', 'OK', 1, 90, '7'), thermal), 90)
  t.equal(criticalLimit(sensor('other', 'OK', 1, null, '7'), thermal), 60)
  t.equal(criticalLimit(sensor('none', 'OK', 1, null, '8'), thermal), undefined)
  const thresholds = { UpperCaution: { Reading: 50 }, LowerCritical: { Reading: 5 }, UpperCritical: { Reading: null } }
  t.same(thresholdsOf({ Thresholds: thresholds } as Sensor, 60), [
    { kind: 'warn', isUpper: true, value: 50 },
    { kind: 'bad', isUpper: true, value: 60 },
    { kind: 'bad', isUpper: false, value: 5 }
  ])
})

t.test('readings are lines of a table, and no name is a formula in a spreadsheet', async (t) => {
  const text = readingsAs([{ name: '=1+1', unit: 'W', points: [point(0, 1.5), point(1000, null)] }])
  t.same(text.split('\r\n'), [
    'time,sensor,reading,unit',
    `"1970-01-01T00:00:00.000Z","'=1+1",1.5,"W"`,
    `"1970-01-01T00:00:01.000Z","'=1+1",,"W"`,
    ''
  ])
})
