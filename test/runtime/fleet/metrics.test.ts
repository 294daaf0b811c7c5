import t from 'tap'
import { FaultCounts } from '#runtime/fleet/fault-counts.ts'
import { perform } from '#runtime/fleet/group-actions.ts'
import { metricsText } from '#runtime/fleet/metrics.ts'
import { Statistics } from '#runtime/fleet/statistics.ts'
import { groupLines, lineOf, samplesOf, together } from '#runtime/fleet/top.ts'
import type { Answer } from '#runtime/request/answer.ts'
import { checkMetrics } from './metrics.ts'
import { changing, open } from './open.ts'

const groups = new Map([
  ['blades', { controllers: 2, open: 1 }],
  ['racks', { controllers: 1, open: 1 }]
])
const roster = { groups: () => groups, powerStates: () => new Map([['On', 2]]) }
const faults = {
  counts: () => [
    { group: 'racks', fault: 'power.stuckOn', controllers: 1 },
    { group: 'racks', fault: 'requests.delay', controllers: 1 }
  ]
}
const text = (statistics: Statistics) => metricsText(roster, statistics, faults)
const blade = (number: number) => ({ number, group: 'blades' })
const rack = { number: 3, group: 'racks' }
const answered = (status: number): Answer => ({ status, headers: [], body: undefined })

t.test('answers are counted by status, also late ones', async (t) => {
  const statistics = new Statistics()
  statistics.watch(blade(1), () => answered(200))
  await statistics.watch(blade(2), async () => answered(503))
  const begun = await statistics.watch(rack, () => ({ limit: 1, user: '', finish: async () => answered(204) }))
  t.match(text(statistics), 'minnow_answer_seconds_count{group="blades"} 2\n', 'not before it is there')
  if ('finish' in begun) t.equal((await begun.finish(new Uint8Array())).status, 204)
  const samples = checkMetrics(t, text(statistics))
  for (const status of [200, 503]) t.equal(samples.get(`minnow_answers_total{group="blades",status="${status}"}`), 1)
  t.equal(samples.get('minnow_answers_total{group="racks",status="204"}'), 1)
  t.equal(samples.get('minnow_answer_seconds_count{group="racks"}'), 1)
  t.equal(samples.get('minnow_systems{power="On"}'), 2)
})

t.test('the slowest answer is that of the last ten seconds', async (t) => {
  const statistics = new Statistics()
  t.equal(statistics.slowest().controller, 0)
  statistics.watch(blade(7), () => answered(200))
  t.equal(statistics.slowest().controller, 7)
  t.equal(statistics.slowest(performance.now() + 10_001).controller, 0)
})

t.test('a line of top counts since the previous one', async (t) => {
  const statistics = new Statistics()
  const before = samplesOf(text(statistics))
  for (const status of [200, 200, 500]) statistics.watch(blade(2), () => answered(status))
  statistics.events = 8
  t.match(
    lineOf(before, samplesOf(text(statistics)), 2),
    /^3 controllers, 2 open; 2 answers\/s, 1 errors\/s; 4 events\/s; power: On 2; slowest: \d+ ms, controller 2$/
  )
})

t.test('top adds what the metrics of several workers say, and shows the slowest answer of all', async (t) => {
  const workers = [7, 9].map((seconds, index) =>
    samplesOf(
      `minnow_controllers{group="0"} 2\nminnow_systems{power="On"} ${index + 1}\nminnow_slowest_answer_seconds{controller="${seconds}"} ${seconds}\n`
    )
  )
  const line = '4 controllers, 0 open; 0 answers/s, 0 errors/s; 0 events/s; power: On 3; slowest: 9000 ms, controller 9'
  t.equal(lineOf(new Map(), together(workers), 1), line)
  t.equal(lineOf(new Map(), together(workers.toReversed()), 1), line)
})

t.test('top has a line for each group, those with the most errors first, or in another order', async (t) => {
  const statistics = new Statistics()
  statistics.watch(blade(1), () => answered(200))
  const before = samplesOf(text(statistics))
  for (const status of [200, 200, 200, 500]) statistics.watch(blade(2), () => answered(status))
  for (const status of [503, 500]) statistics.watch(rack, () => answered(status))
  const now = samplesOf(text(statistics))
  const [head, racks, blades] = groupLines(before, now, 2, 'errors')
  t.equal(head, 'GROUP   CONTROLLERS  OPEN  ANSWERS/S  ERRORS/S  TIME  FAULTS')
  t.match(racks, /^racks {13}1 {5}1 {10}1 {9}1 {2}\d ms {2}power.stuckOn 1, requests.delay 1$/)
  t.match(blades, /^blades {12}2 {5}1 {10}2 {9}1 {2}\d ms$/)
  const names = (order: 'answers' | 'faults' | 'group' | 'time') =>
    groupLines(before, now, 2, order).map((line) => line.split(' ')[0])
  t.strictSame(names('answers'), ['GROUP', 'blades', 'racks'])
  t.strictSame(names('faults'), ['GROUP', 'racks', 'blades'])
  t.strictSame(names('group'), ['GROUP', 'blades', 'racks'])
})

t.test('controllers are counted by the faults that they have now', async (t) => {
  const stuckOn = { devices: { power: { faults: { stuckOn: true } } } }
  const groups = [
    { name: 'stuck', count: 2, network: '127.20.0.0/16', ...stuckOn },
    { count: 1, network: '127.21.0.0/16', faults: [{ delay: 1 }] }
  ]
  const { fleet } = await open(t, t.testdir(), 0, { groups })
  const { roster } = fleet
  t.strictSame([...roster.groups().keys()], ['stuck', '1'])
  const counted = new FaultCounts(roster)
  const counts = () => counted.counts().map(({ group, fault, controllers }) => `${group} ${fault} ${controllers}`)
  t.strictSame(counts(), ['1 requests.delay 1', 'stuck power.stuckOn 2'])
  const parts = { roster, ...changing(fleet) }
  await perform(parts, { controllers: [2], removeFaults: ['power.stuckOn'] })
  await perform(parts, { controllers: [3], removeFaults: ['requests.delay'] })
  t.strictSame(counts(), ['stuck power.stuckOn 1'])
})
