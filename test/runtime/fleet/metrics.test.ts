import t from 'tap'
import { metricsText } from '#runtime/fleet/metrics.ts'
import { Statistics } from '#runtime/fleet/statistics.ts'
import { lineOf, samplesOf } from '#runtime/fleet/top.ts'
import type { Answer } from '#runtime/request/answer.ts'
import { checkMetrics } from './metrics.ts'

const roster = { size: 3, open: 2, powerStates: () => new Map([['On', 2]]) }
const text = (statistics: Statistics) => metricsText(roster, statistics)
const answered = (status: number): Answer => ({ status, headers: [], body: undefined })

t.test('answers are counted by status, also late ones', async (t) => {
  const statistics = new Statistics()
  statistics.watch(1, () => answered(200))
  await statistics.watch(2, async () => answered(503))
  const begun = await statistics.watch(3, () => ({ limit: 1, user: '', finish: async () => answered(204) }))
  t.match(text(statistics), 'minnow_answer_seconds_count 2\n', 'not before it is there')
  if ('finish' in begun) t.equal((await begun.finish(new Uint8Array())).status, 204)
  const samples = checkMetrics(t, text(statistics))
  for (const status of [200, 204, 503]) t.equal(samples.get(`minnow_answers_total{status="${status}"}`), 1)
  t.equal(samples.get('minnow_answer_seconds_count'), 3)
  t.equal(samples.get('minnow_systems{power="On"}'), 2)
})

t.test('the slowest answer is that of the last ten seconds', async (t) => {
  const statistics = new Statistics()
  t.equal(statistics.slowest().controller, 0)
  statistics.watch(7, () => answered(200))
  t.equal(statistics.slowest().controller, 7)
  t.equal(statistics.slowest(performance.now() + 10_001).controller, 0)
})

t.test('a line of top counts since the previous one', async (t) => {
  const statistics = new Statistics()
  const before = samplesOf(text(statistics))
  for (const status of [200, 200, 500]) statistics.watch(2, () => answered(status))
  statistics.events = 8
  t.match(
    lineOf(before, samplesOf(text(statistics)), 2),
    /^3 controllers, 2 open; 2 answers\/s, 1 errors\/s; 4 events\/s; power: On 2; slowest: \d+ ms, controller 2$/
  )
})
