import t from 'tap'
import type { FaultRule } from '#data/fleet'
import { edit } from '#runtime/fleet/edits.ts'
import { Faults } from '#runtime/fleet/faults.ts'

function edited(body: object, rule: FaultRule) {
  const copy = JSON.parse(JSON.stringify(body))
  edit(copy, rule)
  return copy
}

const fan = { '@odata.type': '#Fan.v1_5_0.Fan', Status: { Health: 'OK', State: 'Enabled' }, 'a/b~c': 1 }

t.test('parts of a body are replaced, merged and removed by JSON pointers', async (t) => {
  const status = { Health: 'Critical', State: 'Enabled' }
  t.same(edited(fan, { replace: { '/Status/Health': 'Critical' } }).Status, status)
  t.same(edited(fan, { merge: { '/Status': { Health: 'Critical' } } }).Status, status)
  t.same(edited(fan, { merge: { '/Status': { Health: null, Conditions: [] } } }).Status, {
    State: 'Enabled',
    Conditions: []
  })
  t.same(edited(fan, { remove: ['/Status/Health', '/a~1b~0c'] }), {
    '@odata.type': fan['@odata.type'],
    Status: { State: 'Enabled' }
  })
  t.equal(edited(fan, { replace: { '/Speed': 12 } }).Speed, 12, 'also a member that was not there')
  const list = { Members: [1, 2, 3] }
  t.same(edited(list, { remove: ['/Members/1'] }), { Members: [1, 3] })
  t.same(edited(list, { replace: { '/Members/0': { a: 1 } } }), { Members: [{ a: 1 }, 2, 3] })
})

t.test('a pointer that leads nowhere changes nothing', async (t) => {
  for (const pointer of ['', '/Status/Health/x', '/None/x', '/__proto__/x', '/constructor/prototype/x'])
    t.same(edited(fan, { replace: { [pointer]: 1 } }), fan, pointer)
  for (const pointer of ['/Members/3', '/Members/01', '/Members/-'])
    t.same(edited({ Members: [1] }, { replace: { [pointer]: 1 } }), { Members: [1] }, pointer)
  t.equal(({} as { x?: number }).x, undefined)
})

t.test('a type selects resources, also within others', async (t) => {
  const body = {
    '@odata.type': '#FanCollection.FanCollection',
    Status: {},
    Members: [fan, { ...fan, '@odata.type': 'x' }]
  }
  const rule = { type: 'Fan', replace: { '/Status': null } }
  t.same(edited(body, rule), { ...body, Members: [{ ...fan, Status: null }, body.Members[1]] })
  t.same(edited(fan, { ...rule, type: 'FanCollection' }), fan)
})

t.test('an answer has the changed body and its length', async (t) => {
  const head = { method: 'GET', target: '/', headers: {}, address: '127.0.0.1' }
  const body = new TextEncoder().encode(JSON.stringify(fan))
  const rules = [{ type: 'Fan', merge: { '/Status': { State: null } } }, { remove: ['/a~1b~0c'] }]
  const upset = new Faults(1, 1, rules).next(head)!
  const answer = upset.answer({ status: 200, headers: ['Content-Length', String(body.length)], body })
  t.same(JSON.parse(new TextDecoder().decode(answer.body)), {
    '@odata.type': fan['@odata.type'],
    Status: { Health: 'OK' }
  })
  t.equal(answer.headers[1], String(answer.body?.length))
})

t.test('latencies have the median and the percentile that a rule says', async (t) => {
  const delays = (rule: FaultRule, seed = 1) => {
    const faults = new Faults(seed, 1, [rule])
    const head = { method: 'GET', target: '/', headers: {}, address: '' }
    return Array.from({ length: 20_000 }, () => faults.next(head)!.delay).sort((a, b) => a - b)
  }
  const within = (value: number | undefined, wanted: number, share: number, what: string) =>
    t.ok(Math.abs(value! - wanted) < wanted * share, `${what}: ${value} for ${wanted}`)
  const logNormal = delays({ latency: { median: 0.2, p99: 2 } })
  within(logNormal[10_000], 200, 0.03, 'median')
  within(logNormal[19_800], 2000, 0.1, '99th percentile')
  const exponential = delays({ latency: { median: 0.2 } })
  within(exponential[10_000], 200, 0.03, 'median')
  within(exponential[19_800], (200 * Math.log(100)) / Math.LN2, 0.1, '99th percentile')
  t.equal(String(delays({ latency: { median: 0.2 } })), String(exponential), 'the same with the same seed')
  t.not(String(delays({ latency: { median: 0.2 } }, 2)), String(exponential))
})
