import t from 'tap'
import type { MetricProperty, Series } from '#data/telemetry'
import { Samples } from '#runtime/service/telemetry/samples.ts'

const properties: readonly MetricProperty[] = [
  { uri: '/one', chassis: '1', sensor: '1', sensors: [1] },
  { uri: '/two', chassis: '2', sensor: '2', sensors: [2] }
]

/** The averages of the only series. */
const averages = ([only]: readonly Series[]) => [...only!.average]

/** Samples of two chassis every five seconds; `read` gives the reading at a time in seconds. */
function sampled(seconds: number, read: (second: number) => number | undefined, size = 120) {
  const samples = new Samples(properties, size, 5)
  let second = 0
  const clock = { now: () => 1_000_000_000 + second * 1000, elapsed: () => second * 1000 }
  for (; second <= seconds; second += 5) {
    for (const chassis of ['1', '2']) samples.update(chassis, new Set([1, 2]), () => read(second))
    samples.take(clock)
  }
  return samples
}

t.test(
  'a step has the average and the extremes of its samples, and the last one ends with the last sample',
  async (t) => {
    const { end, series } = sampled(605, (second) => second).history('1', 'TenMinutes')
    t.equal(end, 1_000_605_000)
    t.equal(series.length, 1)
    const [{ property, average, minimum, maximum }] = series as [(typeof series)[number]]
    t.equal(property, properties[0])
    t.same([average.length, average[59], minimum[59], maximum[59]], [60, 602.5, 600, 605])
    t.same([average[0], minimum[0], maximum[0]], [12.5, 10, 15])
    const falling = sampled(605, (second) => -second).history('1', 'TenMinutes').series
    t.same([falling[0]?.minimum[59], falling[0]?.maximum[59]], [-605, -600])
  }
)

t.test('steps without a sample, and without a reading, have no value', async (t) => {
  const samples = sampled(120, (second) => (second > 60 && second <= 80 ? undefined : 7))
  const values = averages(samples.history('2', 'TenMinutes').series)
  t.same(
    values.slice(0, 47).filter((each) => !Number.isNaN(each)),
    []
  )
  t.same(values.slice(-7), [7, Number.NaN, Number.NaN, 7, 7, 7, 7])
  const half = sampled(120, (second) => (second === 70 ? undefined : 7)).history('1', 'TenMinutes').series
  t.same(averages(half).slice(-7), [7, 7, 7, 7, 7, 7, 7], 'of two samples one counts')
})

t.test('a chassis without metrics has no samples', async (t) => {
  const samples = sampled(10, () => 7)
  let reads = 0
  samples.update('3', new Set([1]), () => ++reads)
  t.equal(reads, 0)
  t.same(samples.history('3', 'Hour').series, [])
})

t.test('an hour is made of minutes, also of samples that are not kept', async (t) => {
  for (const [size, until] of [
    [24, 3720],
    [720, 3775]
  ] as const) {
    const samples = sampled(until, (second) => Math.floor(second / 60), size)
    const [{ average, minimum, maximum }] = samples.history('1', 'Hour').series as [Series]
    t.equal(average.length, 60)
    for (const each of [average, minimum, maximum])
      t.same([each[0], each[58], each[59]], [3, 61, 62], `${size} samples`)
  }
  const kept = sampled(3750, (second) => Math.floor(second / 60), 720)
  const [{ minimum, maximum }] = kept.history('1', 'Hour').series as [Series]
  t.same([minimum[59], maximum[59]], [61, 62], 'the last ends with the last sample where all are kept')
})

t.test('a minute that is over, and the present one, keep their extremes', async (t) => {
  const { series } = sampled(3685, (second) => second, 24).history('1', 'Hour')
  const [{ average, minimum, maximum }] = series as [Series]
  t.same([minimum[58], average[58], maximum[58]], [3600, 3627.5, 3655])
  t.same([minimum[59], average[59], maximum[59]], [3660, 3672.5, 3685])
})

t.test('a day is made of half hours, the last of which is not over', async (t) => {
  const halfHour = 1800
  const { series } = sampled(2 * halfHour + 600, (second) => Math.floor(second / halfHour)).history('1', 'Day')
  const [{ average, maximum }] = series as [(typeof series)[number]]
  t.equal(average.length, 48)
  t.same([...maximum].slice(-3), [0, 1, 2])
  t.same([...average].slice(-3), [0, 1, 2])
  t.ok(Number.isNaN(average[44]))
})

t.test('a function of a longer time than that of the samples is made of minutes', async (t) => {
  const samples = sampled(3600, (second) => (second < 1800 ? 10 : undefined), 24)
  const over = (what: 'Average' | 'Maximum' | 'Minimum' | 'Summation', minutes: number) =>
    samples.collect('/one', what, minutes * 60_000, 3_600_000)
  t.equal(over('Average', 1), undefined)
  t.same(
    (['Average', 'Maximum', 'Minimum', 'Summation'] as const).map((what) => over(what, 33)),
    [10, 10, 10, 240]
  )
  t.equal(over('Summation', 60), 3480, 'the hour that is kept is a minute less')
  const constant = sampled(3660, () => 10, 24)
  t.equal(constant.collect('/one', 'Summation', 7_200_000, 3_660_000), (59 * 12 + 1) * 10, 'no minute counts twice')
  const falling = sampled(1800, (second) => 2000 - second, 24)
  t.equal(falling.collect('/one', 'Maximum', 60_000, 1_800_000), 255, 'of samples that are kept it is exact')
  t.equal(falling.collect('/one', 'Maximum', 600_000, 1_800_000), 740)
})

t.test('there is a day of half hours at most', async (t) => {
  const { series } = sampled(50 * 1800, (second) => second, 400).history('1', 'Day')
  t.equal(averages(series).filter((each) => !Number.isNaN(each)).length, 48)
})
