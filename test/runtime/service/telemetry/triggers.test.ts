import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { blankTrigger, type Trigger } from '#data/telemetry'
import { Events } from '#runtime/service/events/events.ts'
import { Triggers } from '#runtime/service/telemetry/triggers.ts'
import { Store } from '#runtime/store/store.ts'

const board = sim as unknown as Board
const temperature = (index: number) => `/redfish/v1/Chassis/1/Thermal/#/Temperatures/${index}/ReadingCelsius`
const inlet = temperature(0)
const sensor = '/redfish/v1/Chassis/1/Sensors/1'

const hot: Trigger = {
  ...blankTrigger,
  name: 'Hot',
  type: 'Numeric',
  condition: null,
  actions: ['LogToLogService', 'RedfishEvent', 'RedfishMetricReport'],
  properties: [inlet],
  reports: ['Temperature'],
  settle: 'PT0S',
  thresholds: { UpperWarning: { reading: 40, activation: 'Increasing', dwell: null } }
}

/** Triggers over a store, with clock and samples in the hands of the test. */
async function open(t: Test, trigger: Record<string, Trigger> = { hot }, directory = t.testdir()) {
  const store = await Store.open(`${directory}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ trigger })
  const world = { now: 0, samples: {} as Record<string, number | undefined> }
  const reports: string[] = []
  let reads = 0
  const telemetry = {
    last(uri: string) {
      reads += 1
      return world.samples[uri]
    },
    async update(id: string) {
      reports.push(id)
    }
  }
  const events = new Events(store, board, configuration, () => world.now)
  const triggers = new Triggers(store, board, events, telemetry, { elapsed: () => world.now }, 10)
  const records = (table: 'event' | 'logEntry') => store.keys(table).map((key) => store.get(table, key)!)
  return {
    store,
    reports,
    reads: () => reads,
    check: () => triggers.check(),
    samples(values: Record<string, number | undefined>) {
      world.samples = values
    },
    sent: () => records('event'),
    logged: () => records('logEntry'),
    /** The keys of the events once samples have these values. */
    async after(seconds: number, samples: Record<string, number | undefined>) {
      world.now += seconds * 1000
      world.samples = samples
      const before = store.keys('event').length
      triggers.check()
      await store.commit({})
      return records('event')
        .slice(before)
        .map(({ messageId }) => messageId.replace('Telemetry.1.0.Trigger', ''))
    }
  }
}

t.test('a metric that reaches a threshold is told, logged with its origin, and reported', async (t) => {
  const { after, sent, logged, reports } = await open(t)
  t.same(await after(5, { [inlet]: 39 }), [])
  t.same(await after(5, { [inlet]: 41.5 }), ['NumericAboveUpperWarning'])
  const told = {
    messageId: 'Telemetry.1.0.TriggerNumericAboveUpperWarning',
    args: [inlet, '41.5', '40', 'hot'],
    severity: 'Warning',
    origin: sensor
  }
  t.match(sent(), [told])
  t.match(logged(), [told])
  t.same(reports, ['Temperature'])
  t.same(await after(5, { [inlet]: 39 }), ['NumericReadingNormal'])
  t.equal(logged().length, 2)
  t.same(reports, ['Temperature'], 'the end of it makes no report')
})

t.test('a report that two triggers ask for is made once', async (t) => {
  const { after, reports } = await open(t, { hot, warm: { ...hot, reports: ['FanSpeed', 'Temperature'] } })
  await after(5, { [inlet]: 41 })
  t.same(reports.sort(), ['FanSpeed', 'Temperature'])
})

t.test('an event that the disk refuses is lost, and the log says of which trigger', async (t) => {
  const { store, check, samples } = await open(t)
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  const lines = t.capture(store.log, 'error', () => {})
  samples({ [inlet]: 41 })
  check()
  await new Promise(setImmediate)
  t.match(
    lines().map(({ args }) => args),
    [['the event of a trigger is lost', { trigger: 'hot', cause: 'the disk is full' }]]
  )
})

t.test('a trigger with Changed that is stored again knows the value that it saw', async (t) => {
  const any = { ...hot, type: 'Discrete', condition: 'Changed', thresholds: {} } as const
  const { store, after } = await open(t, { any })
  await after(5, { [inlet]: 30 })
  await store.commit({ trigger: { any: { ...any, name: 'Other' } } })
  t.same(await after(5, { [inlet]: 30 }), [])
  t.same(await after(5, { [inlet]: 31 }), ['DiscreteConditionMet'])
  await store.commit({ trigger: { any } })
  t.same(await after(5, { [inlet]: 30 }), ['DiscreteConditionMet'], 'also if it changed meanwhile')
})

for (const [action, done] of [
  ['RedfishEvent', [1, 0, 0]],
  ['LogToLogService', [0, 1, 0]],
  ['RedfishMetricReport', [0, 0, 1]]
] as const) {
  t.test(`a trigger that names ${action} does that, and nothing else`, async (t) => {
    const { after, sent, logged, reports } = await open(t, { hot: { ...hot, actions: [action] } })
    await after(5, { [inlet]: 41 })
    t.same([sent().length, logged().length, reports.length], done)
  })
}

t.test('a metric that cannot be read is not beyond anything, and not back either', async (t) => {
  const dwelling = { ...hot, thresholds: { UpperWarning: { ...hot.thresholds.UpperWarning!, dwell: 'PT10S' } } }
  const { after } = await open(t, { hot: dwelling })
  t.same(await after(5, {}), [])
  t.same(await after(5, { [inlet]: 41 }), [])
  t.same(await after(5, { [inlet]: undefined }), [])
  t.same(await after(5, { [inlet]: 41 }), [], 'the time begins anew')
  t.same(await after(10, { [inlet]: 41 }), ['NumericAboveUpperWarning'])
  t.same(await after(5, {}), [])
  t.same(await after(5, { [inlet]: 41 }), [], 'it was told before it vanished')
  t.same(await after(5, { [inlet]: 30 }), ['NumericReadingNormal'])
})

t.test('a restart tells nothing twice, and what has happened meanwhile', async (t) => {
  const directory = t.testdir()
  const first = await open(t, { hot }, directory)
  await first.after(5, { [inlet]: 41 })
  await first.store.close()
  const second = await open(t, { hot }, directory)
  t.same(await second.after(5, { [inlet]: 42 }), [])
  t.same(await second.after(5, { [inlet]: 30 }), ['NumericReadingNormal'])
  t.same(second.store.keys('triggered'), [])
  await second.store.close()
  const third = await open(t, { hot }, directory)
  t.same(await third.after(5, { [inlet]: 42 }), ['NumericAboveUpperWarning'])
})

t.test(
  'what holds is stored although nothing is told of it, and a sample that changes nothing writes nothing',
  async (t) => {
    const directory = t.testdir()
    const thresholds = { UpperWarning: { reading: 40, activation: 'Decreasing', dwell: null } } as const
    const cold = { ...hot, thresholds }
    const first = await open(t, { cold }, directory)
    let commits = 0
    first.store.onCommit(() => {
      commits += 1
    })
    t.same(await first.after(5, { [inlet]: 41 }), [])
    t.equal(commits, 1)
    for (const [at, value] of [42, 42, undefined, 42].entries()) t.same(await first.after(at, { [inlet]: value }), [])
    t.equal(commits, 1)
    await first.store.close()
    const second = await open(t, { cold }, directory)
    t.same(await second.after(5, { [inlet]: 30 }), ['NumericReadingNormal'])
    t.same(second.reports, ['Temperature'])
  }
)

t.test('with Changed, each other value is told, but not the first', async (t) => {
  const any = { ...hot, type: 'Discrete', condition: 'Changed', thresholds: {} } as const
  const { after, sent } = await open(t, { any })
  t.same(await after(5, { [inlet]: 30 }), [])
  t.same(await after(5, { [inlet]: 31 }), ['DiscreteConditionMet'])
  t.same(await after(5, { [inlet]: 31 }), [])
  t.same(await after(5, {}), [])
  t.same(await after(5, { [inlet]: 31 }), [], 'it is what it was before it vanished')
  t.same(await after(5, { [inlet]: 30 }), ['DiscreteConditionMet'])
  t.same(sent().at(-1)?.args, [inlet, '30', 'any'])
})

t.test('a trigger counts from the moment it is stored until it is disabled or deleted', async (t) => {
  const { store, after } = await open(t, {})
  await store.commit({ trigger: { hot } })
  t.same(await after(5, { [inlet]: 41 }), ['NumericAboveUpperWarning'])
  const UpperWarning = { ...hot.thresholds.UpperWarning!, reading: 50 }
  await store.commit({ trigger: { hot: { ...hot, thresholds: { UpperWarning } } } })
  t.same(await after(5, { [inlet]: 41 }), ['NumericReadingNormal'], 'a new threshold applies to the present value')
  await store.commit({ trigger: { hot: { ...hot, enabled: false } } })
  t.same(await after(5, { [inlet]: 60 }), [])
  await store.commit({ trigger: { hot } })
  t.same(await after(5, { [inlet]: 60 }), ['NumericAboveUpperWarning'])
  await store.commit({ trigger: { hot: null }, triggered: { hot: null } })
  t.same(await after(5, { [inlet]: 20 }), [])
})

t.test('what a trigger finds while it is being deleted leaves nothing', async (t) => {
  const { store, after, check } = await open(t)
  await after(5, { [inlet]: 30 })
  const deleted = store.commit({ trigger: { hot: null }, triggered: { hot: null } })
  t.same(await after(5, { [inlet]: 41 }), [])
  await deleted
  check()
  t.same([...store.keys('event'), ...store.keys('triggered'), ...store.keys('logEntry')], [])
})

t.test(
  'a trigger of a metric watches all its properties, each by itself, and a wildcard those that it names',
  async (t) => {
    const wildcards = [{ name: 'Sensor', values: ['2', '3'] }]
    const properties = ['/redfish/v1/Chassis/1/Sensors/{Sensor}/#/Reading']
    const { after } = await open(t, {
      all: { ...hot, properties: [], metrics: ['Temperature'] },
      some: { ...hot, properties, wildcards }
    })
    const two = { [inlet]: 45, [temperature(1)]: 45, [temperature(2)]: 10 }
    t.equal((await after(5, two)).length, 3)
    t.equal((await after(5, { ...two, [temperature(2)]: 50 })).length, 2)
  }
)

t.test('a metric that this machine no longer has is watched no more', async (t) => {
  const { after, reads } = await open(t, { hot: { ...hot, properties: ['/redfish/v1/Chassis/9/#/x'] } })
  t.same(await after(5, { [inlet]: 41 }), [])
  t.equal(reads(), 0)
})

t.test('without triggers, nothing is read', async (t) => {
  const { after, reads } = await open(t, { hot: { ...hot, enabled: false } })
  t.same(await after(5, { [inlet]: 41 }), [])
  t.equal(reads(), 0)
})
