import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { definitionUri, type MetricReportDefinition, metrics, reportDefinition } from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { Samples } from '#runtime/service/telemetry/samples.ts'
import { nextDue } from '#runtime/service/telemetry/schedule.ts'
import { Telemetry } from '#runtime/service/telemetry/telemetry.ts'
import { pollsOf, samplesTaken } from '#runtime/store/revisions.ts'
import { Store } from '#runtime/store/store.ts'

const board = sim as unknown as Board
const noon = Date.parse('2025-06-01T12:00:00Z')
const fan = '/redfish/v1/Chassis/1/Thermal/#/Fans/0/Reading'

/** Telemetry over a store, with clock and readings in the hands of the test. */
async function open(t: Test, directory = t.testdir()) {
  const store = await Store.open(`${directory}/store`, configuration.store)
  const world = { now: noon, leapt: 0, listens: true, readings: {} as Record<string, number | undefined> }
  const pushed: { report: { MetricValues: { MetricValue: string }[] }; definition: string }[] = []
  const shown: string[] = []
  const listeners = new Listeners<ReadonlySet<number>>()
  const sensors = {
    read: (number: number) => world.readings[`1/${number}`],
    on: (listener: (changed: ReadonlySet<number>) => void) => listeners.add(listener)
  }
  const clock: Clock = { now: () => world.now, elapsed: () => world.now - world.leapt }
  const settings = { samples: 10, interval: 5 }
  const telemetry = new Telemetry(store, board, new Map([['1', sensors as Sensors]]), settings, clock, {
    async push(report, definition) {
      pushed.push({ report: report as never, definition })
    },
    listens: () => world.listens,
    show(definition, isPushed, report) {
      shown.push(`${definition}${isPushed ? ' pushed' : ''}`)
      t.match(report(), { MetricReportDefinition: { '@odata.id': `${definitionUri(definition)}/` }, MetricValues: [] })
    }
  })
  const close = async () => {
    telemetry.close()
    await store.close()
  }
  t.teardown(close)
  return {
    store,
    world,
    pushed,
    shown,
    telemetry,
    directory,
    close,
    /** Sets a definition that ships, with what is to be otherwise. */
    async define(id: string, otherwise: Partial<MetricReportDefinition>) {
      const present = reportDefinition(store, board, id) as MetricReportDefinition
      await store.commit({ metricReportDefinition: { [id]: { ...present, ...otherwise } } })
    },
    /** Moves the clock, reads the sensors, and makes what is due. */
    async after(seconds: number, readings: Record<string, number | undefined> = world.readings) {
      world.now += seconds * 1000
      const names = Object.keys({ ...world.readings, ...readings })
      world.readings = readings
      listeners.emit(new Set(names.map((name) => Number(name.slice('1/'.length)))))
      telemetry.sample()
      telemetry.run()
    },
    values: (id: string) => telemetry.report(id).values.map(({ value }) => value)
  }
}

t.test('OnRequest: a report has the last readings, and is never pushed', async (t) => {
  const { after, telemetry, values, pushed } = await open(t)
  t.same(telemetry.report('CPUUtilization'), { sequence: 0, timestamp: undefined, values: [] })
  await after(5, { '1/41': 30 })
  const first = telemetry.report('CPUUtilization')
  t.same(first.values, [
    {
      metric: 'CPUUtilization',
      property: '/redfish/v1/Chassis/1/Sensors/41/#/Reading',
      value: 30,
      timestamp: '2025-06-01T12:00:05.000Z'
    }
  ])
  t.same(telemetry.report('CPUUtilization'), first, 'and stays so until the sensors are read again')
  await after(3600, { '1/41': 31 })
  t.same(values('CPUUtilization'), [31])
  t.ok(telemetry.report('CPUUtilization').sequence > first.sequence)
  t.same(pushed, [])
})

t.test('power is the output of all power supplies, and unknown if one cannot be read', async (t) => {
  const { after, values } = await open(t)
  await after(5, { '1/31': 100, '1/32': 90 })
  t.same(values('PowerConsumption'), [190])
  await after(5, { '1/31': 100 })
  t.same(values('PowerConsumption'), [undefined])
})

t.test('Periodic: a report is made and pushed when it is due, not before', async (t) => {
  const { after, define, values, pushed, telemetry } = await open(t)
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT1M' })
  await after(59, { '1/41': 30 })
  t.same([values('CPUUtilization'), pushed.length], [[], 0])
  await after(1, { '1/41': 31 })
  t.same([values('CPUUtilization'), pushed.length], [[31], 1])
  await after(59, { '1/41': 32 })
  t.same([values('CPUUtilization'), pushed.length], [[31], 1])
  const { sequence } = telemetry.report('CPUUtilization')
  await after(2, { '1/41': 33 })
  await after(59, { '1/41': 34 })
  t.equal(pushed.length, 3, 'a report that is late does not delay those to come')
  t.equal(telemetry.report('CPUUtilization').sequence, sequence + 2)
  t.match(pushed[2], {
    definition: definitionUri('CPUUtilization'),
    report: {
      '@odata.id': '/redfish/v1/TelemetryService/MetricReports/CPUUtilization/',
      '@odata.type': '#MetricReport.v1_5_1.MetricReport',
      MetricReportDefinition: { '@odata.id': `${definitionUri('CPUUtilization')}/` },
      MetricValues: [{ MetricId: 'CPUUtilization', MetricValue: '34' }],
      Timestamp: '2025-06-01T12:03:00.000Z'
    }
  })
})

t.test('Periodic: the service wakes up when a report is due, and once a minute at least', async (t) => {
  const { world, define, telemetry, pushed } = await open(t)
  let held = 0
  const pending = new Set<unknown>()
  const timers = t.capture(globalThis, 'setTimeout', (() => {
    held += 1
    const timer = { unref: () => (held -= 1) }
    pending.add(timer)
    return timer
  }) as unknown as typeof setTimeout)
  t.capture(globalThis, 'clearTimeout', (timer) => void pending.delete(timer))
  const wakes = () => timers().map(({ args: [, time] }) => time)
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT10M' })
  t.same([wakes(), held], [[60_000], 0], 'and keeps no process alive')
  world.now += 590_000
  telemetry.run()
  t.same([wakes(), pushed.length], [[10_000], 0])
  t.equal(pending.size, 1, 'of the timers only the last')
  world.now += 10_001
  await define('FanSpeed', {})
  t.same(wakes(), [0], 'at once for a report that is late')
  telemetry.run()
  t.equal(pushed.length, 1)
  timers()
  telemetry.close()
  t.equal(pending.size, 0)
  await define('CPUUtilization', { type: 'OnRequest' })
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT10M' })
  t.same(wakes(), [], 'not after its end')
})

t.test('Periodic: the timer ends when no report is due any more, and begins with a restart', async (t) => {
  const { define, directory, close } = await open(t)
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT10M' })
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const wakes = () => timers().filter(({ args: [, time] }) => time === 60_000).length
  await define('CPUUtilization', { type: 'OnRequest' })
  t.equal(wakes(), 0)
  await define('CPUUtilization', { type: 'Periodic' })
  t.equal(wakes(), 1)
  await close()
  await open(t, directory)
  t.equal(wakes(), 1)
})

t.test('Periodic: missed reports are skipped, and a clock that is set back does not stop the reports', async (t) => {
  const { after, define, pushed } = await open(t)
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT1M' })
  await after(86_400)
  t.equal(pushed.length, 1)
  await after(-86_400)
  await after(60)
  t.equal(pushed.length, 2)
})

t.test('a listener receives every report with RedfishEvent when it is made', async (t) => {
  const { after, define, shown, world } = await open(t)
  for (const id of ['MemoryBandwidth', 'PowerConsumption', 'PowerSupplyOutput']) await define(id, { enabled: false })
  await define('Temperature', { actions: ['LogToMetricReportsCollection'] })
  await define('IOBandwidth', { type: 'OnChange' })
  await define('FanSpeed', { type: 'Periodic', interval: 'PT10S' })
  await after(5, { '1/43': 1 })
  t.same(shown.splice(0), ['IOBandwidth', 'CPUUtilization'])
  await after(5)
  t.same(shown.splice(0), ['CPUUtilization', 'FanSpeed pushed'])
  world.listens = false
  await after(5)
  t.same(shown, [], 'without a listener')
})

t.test('without RedfishEvent a Periodic report is made and not pushed; disabled, it is not made', async (t) => {
  const { after, define, values, pushed } = await open(t)
  await define('CPUUtilization', { type: 'Periodic', actions: ['LogToMetricReportsCollection'] })
  await define('FanSpeed', { type: 'Periodic', enabled: false })
  await define('IOBandwidth', { type: 'OnChange', enabled: false })
  await after(60, { '1/41': 30, '1/21': 20, '1/43': 40 })
  t.same([values('CPUUtilization'), values('FanSpeed'), values('IOBandwidth'), pushed], [[30], [], [], []])
})

for (const type of ['OnRequest', 'OnChange'] as const) {
  t.test(`Periodic that becomes ${type} is no longer pushed`, async (t) => {
    const { after, define, pushed } = await open(t)
    await define('CPUUtilization', { type: 'Periodic' })
    await after(60, { '1/41': 30 })
    await define('CPUUtilization', { type })
    await after(60, { '1/41': 31 })
    await after(60, { '1/41': 32 })
    t.equal(pushed.length, 1)
  })
}

t.test('a report that a trigger asks for is made and pushed, whatever its type, unless it is disabled', async (t) => {
  const { after, define, telemetry, values, pushed, shown } = await open(t)
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT1H' })
  await define('IOBandwidth', { enabled: false })
  await define('MemoryBandwidth', { actions: ['LogToMetricReportsCollection'], type: 'OnChange' })
  await after(5, { '1/41': 30, '1/21': 20 })
  t.same(values('CPUUtilization'), [])
  shown.splice(0)
  for (const id of ['CPUUtilization', 'FanSpeed', 'IOBandwidth', 'MemoryBandwidth', 'Noise']) await telemetry.update(id)
  t.same(values('CPUUtilization'), [30])
  t.same(shown, ['CPUUtilization pushed', 'FanSpeed pushed'])
  t.same(
    pushed.map(({ definition }) => definition),
    ['CPUUtilization', 'FanSpeed'].map(definitionUri)
  )
})

t.test('OnChange: a report is made when a value changes', async (t) => {
  const { after, define, telemetry } = await open(t)
  await define('CPUUtilization', { type: 'OnChange' })
  await after(5, { '1/41': 30 })
  const first = telemetry.report('CPUUtilization')
  t.equal(first.values[0]?.value, 30)
  await after(5)
  t.equal(telemetry.report('CPUUtilization'), first)
  await after(5, { '1/41': 31 })
  t.match(telemetry.report('CPUUtilization'), { sequence: first.sequence + 1, values: [{ value: 31 }] })
})

t.test('OnChange, appended to: a value is compared with the last one, not the first', async (t) => {
  const { after, define, values } = await open(t)
  await define('CPUUtilization', { type: 'OnChange', updates: 'AppendWrapsWhenFull', appendLimit: 3 })
  for (const busy of [1, 2, 1, 1, 2, 3]) await after(5, { '1/41': busy })
  t.same(values('CPUUtilization'), [1, 2, 3])
})

t.test('a report that is full wraps, or stops', async (t) => {
  const { after, define, values } = await open(t)
  await define('CPUUtilization', { type: 'Periodic', updates: 'AppendWrapsWhenFull', appendLimit: 2 })
  await define('IOBandwidth', { type: 'Periodic', updates: 'AppendStopsWhenFull', appendLimit: 2 })
  for (const busy of [1, 2, 3]) await after(60, { '1/41': busy, '1/43': busy })
  t.same(
    [values('CPUUtilization'), values('IOBandwidth')],
    [
      [2, 3],
      [1, 2]
    ]
  )
})

t.test('a report has no more values than its definition has room for, whenever it is made', async (t) => {
  const { after, define, telemetry, world } = await open(t)
  await define('Temperature', { appendLimit: 2 })
  await define('FanSpeed', { type: 'Periodic', appendLimit: 1 })
  await after(60, { '1/1': 20, '1/2': 30, '1/3': 40, '1/21': 50, '1/22': 60 })
  t.equal(telemetry.report('Temperature').values.length, 2)
  t.equal(telemetry.report('FanSpeed').values.length, 1)
  t.equal(telemetry.report('FanSpeed').timestamp, new Date(world.now).toISOString())
})

t.test('a report begins anew with its definition', async (t) => {
  const { after, define, telemetry, store, values } = await open(t)
  await define('CPUUtilization', { type: 'Periodic' })
  await after(60, { '1/41': 30 })
  const { sequence } = telemetry.report('CPUUtilization')
  const revision = store.revisions.of('metricReport/CPUUtilization')
  await define('CPUUtilization', { type: 'Periodic', interval: 'PT2M' })
  t.same(values('CPUUtilization'), [])
  t.ok(store.revisions.of('metricReport/CPUUtilization') > revision, 'cached answers are no longer right')
  t.ok(sequence > 0)
})

t.test('a definition that is deleted leaves no report, and no revision', async (t) => {
  const { after, define, telemetry, store, pushed } = await open(t)
  const like = reportDefinition(store, board, 'CPUUtilization')!
  await define('Own', { ...like, type: 'Periodic', interval: 'PT1M' })
  await after(60, { '1/41': 30 })
  t.equal(telemetry.report('Own').values.length, 1)
  t.ok(store.revisions.of('metricReport/Own') > store.revisions.of('metricReport/'))
  await store.commit({ metricReportDefinition: { Own: null } })
  t.same(telemetry.report('Own'), { sequence: 0, timestamp: undefined, values: [] })
  t.equal(store.revisions.of('metricReport/Own'), store.revisions.of('metricReport/'))
  await after(60)
  await telemetry.update('Own')
  t.equal(pushed.length, 1)
})

t.test('functions collect the samples of their duration', async (t) => {
  const { after, define, values } = await open(t)
  const collected = (['Average', 'Maximum', 'Minimum', 'Summation'] as const).map((what) => ({
    ...{ id: what, properties: [fan], function: what, duration: 'PT15S', timeScope: 'Interval' as const }
  }))
  await define('FanSpeed', { metrics: collected })
  for (const percent of [90, 10, undefined, 30]) await after(5, { '1/21': percent })
  t.same(values('FanSpeed'), [20, 30, 10, 40], 'the first is too old, the third could not be read')
})

for (const leap of [-86_400_000, 86_400_000]) {
  t.test(`a duration is right although the clock was set by ${leap} ms`, async (t) => {
    const { after, define, values, world } = await open(t)
    const average = {
      id: 'a',
      properties: [fan],
      function: 'Average',
      duration: 'PT15S',
      timeScope: 'Interval'
    } as const
    await define('FanSpeed', { metrics: [average] })
    for (const percent of [90, 10]) await after(5, { '1/21': percent })
    world.now += leap
    world.leapt += leap
    for (const percent of [20, 30]) await after(5, { '1/21': percent })
    t.same(values('FanSpeed'), [20])
  })

  t.test(`a report that is due every minute is made a minute after the clock was set by ${leap} ms`, async (t) => {
    const { after, define, telemetry, world } = await open(t)
    await define('CPUUtilization', { type: 'Periodic', interval: 'PT1M' })
    await after(60, { '1/41': 30 })
    world.now += leap
    world.leapt += leap
    telemetry.run()
    const { sequence } = telemetry.report('CPUUtilization')
    await after(60, { '1/41': 31 })
    t.equal(telemetry.report('CPUUtilization').sequence, sequence + 1)
  })
}

t.test('sequences grow over restarts, and nothing is stored for a report', async (t) => {
  const before = await open(t)
  await before.define('CPUUtilization', { type: 'Periodic' })
  const { revisions } = before.store
  const revision = () =>
    Math.max(...before.store.keys('metricReportDefinition').map((id) => revisions.of(`metricReportDefinition/${id}`)))
  const stood = revision()
  await before.after(60, { '1/41': 30 })
  const { sequence } = before.telemetry.report('CPUUtilization')
  t.equal(revision(), stood)
  await before.close()
  const after = await open(t, before.directory)
  t.same(after.telemetry.report('CPUUtilization').values, [])
  await after.after(60, { '1/41': 31 })
  t.ok(after.telemetry.report('CPUUtilization').sequence > sequence)
})

t.test('a new report moves its revision, on which cached answers depend', async (t) => {
  const { after, define, store, telemetry } = await open(t)
  await define('CPUUtilization', { type: 'Periodic' })
  const of = (id: string) => {
    const paths: string[] = []
    telemetry.members({ track: (path: string) => paths.push(path) } as never).report(id)
    return Math.max(...paths.map((path) => store.revisions.of(path)))
  }
  const [periodic, onRequest] = [of('CPUUtilization'), of('FanSpeed')]
  await after(5)
  t.equal(of('CPUUtilization'), periodic)
  t.ok(of('FanSpeed') > onRequest)
  await after(55)
  t.ok(of('CPUUtilization') > periodic)
})

t.test('cached answers with the power of an hour depend on the polls of its chassis', async (t) => {
  const { after, telemetry } = await open(t)
  await after(5, { '1/31': 100, '1/32': 90 })
  await after(5, { '1/31': 110, '1/32': 90 })
  const paths: string[] = []
  const { powerMetrics } = telemetry.members({ track: (path: string) => paths.push(path) } as never)
  t.same(powerMetrics('1'), { minimum: 190, maximum: 200, average: 195, duration: 5000 })
  t.same(paths, [pollsOf('1')])
})

t.test('cached answers with the history of sensors depend on the samples', async (t) => {
  const { telemetry } = await open(t)
  const paths: string[] = []
  telemetry.members({ track: (path: string) => paths.push(path) } as never).sensorHistory('1', 'Hour')
  t.same(paths, [samplesTaken])
})

t.test(
  'a sample moves the revision of the power of an hour, which an answer since the poll may have cached',
  async (t) => {
    const { store, telemetry } = await open(t)
    const before = store.revisions.of(pollsOf('1'))
    telemetry.sample()
    t.ok(store.revisions.of(pollsOf('1')) > before)
  }
)

t.test('reports are due at whole intervals from the start, at any time of day', async (t) => {
  const at = (start: string | null, interval: string | null, now: string, more = {}) => {
    const definition = { type: 'Periodic', enabled: true, start, interval, ...more } as MetricReportDefinition
    const due = nextDue(definition, Date.parse(now))
    return due === undefined ? undefined : new Date(due).toISOString()
  }
  t.equal(at('2025-06-01T12:00:07Z', 'PT10S', '2025-06-01T11:00:00Z'), '2025-06-01T12:00:07.000Z')
  t.equal(at('2025-06-01T12:00:07Z', 'PT10S', '2025-06-01T12:00:07Z'), '2025-06-01T12:00:17.000Z')
  t.equal(at('2025-06-01T14:00:07+02:00', 'P1DT', '2025-06-03T12:00:06Z'), '2025-06-03T12:00:07.000Z')
  t.equal(at(null, 'PT1H', '2025-06-01T12:20:00Z'), '2025-06-01T13:00:00.000Z')
  t.equal(at(null, null, '2025-06-01T12:20:00Z'), undefined)
  t.equal(at(null, 'P0D', '2025-06-01T12:20:00Z'), undefined)
  t.equal(at(null, 'PT1H', '2025-06-01T12:20:00Z', { enabled: false }), undefined)
  t.equal(at(null, 'PT1H', '2025-06-01T12:20:00Z', { type: 'OnRequest' }), undefined)
})

t.test('the ring of samples forgets the oldest', async (t) => {
  const properties = metrics(board).flatMap((metric) => metric.properties)
  const samples = new Samples(properties, 3, 5)
  t.same([samples.last(fan), samples.collect(fan, 'Average', 60_000, noon)], [undefined, undefined])
  const at = (time: number): Clock => ({ now: () => noon + time, elapsed: () => time })
  const take = (time: number, percent: number) => {
    samples.update('1', new Set([21]), () => percent)
    samples.take(at(time))
  }
  for (const percent of [80, 1, 2, 3]) take(percent, percent)
  t.same([samples.last(fan), samples.taken, samples.time], [3, 4, noon + 3])
  t.equal(samples.collect(fan, 'Maximum', 2, 3), 3)
  t.equal(samples.collect(fan, 'Maximum', 60_000, 3), 80, 'its minute has the one that is no longer kept')
  take(4, 20.1)
  t.equal(samples.last(fan), 20.1)
  t.equal(samples.collect('/elsewhere/#/Reading', 'Maximum', 60_000, 3), undefined)
  const ten = new Samples(properties, 10, 360)
  for (let time = 1; time <= 12; time += 1) {
    ten.update('1', new Set([21]), () => time)
    ten.take(at(time))
  }
  t.equal(ten.collect(fan, 'Minimum', 60_000, 12), 3, 'also a ring that has grown')
})
