import t from 'tap'
import type { FaultRule } from '#data/fleet'
import { Faults } from '#runtime/fleet/faults.ts'
import { Messages } from '#runtime/request/answer.ts'

const head = { method: 'GET', target: '/redfish/v1/Systems/1/', headers: {}, address: '127.0.0.1' }
const messages = new Messages('compact')

/** Which of so many requests something goes wrong with. */
function upset(seed: number, controller: number, rule: FaultRule, count = 500): string {
  const faults = new Faults(seed, controller, [rule])
  return Array.from({ length: count }, () => (faults.next(head) === undefined ? '.' : '!')).join('')
}

t.test('a share of the requests fares badly, the same ones each time', async (t) => {
  const first = upset(1, 7, { share: 0.02, status: 503 }, 5000)
  const count = first.split('!').length - 1
  t.ok(count > 60 && count < 140, `${count} of 5000`)
  t.equal(upset(1, 7, { share: 0.02, status: 503 }, 5000), first)
  t.not(upset(2, 7, { share: 0.02, status: 503 }, 5000), first, 'others with another seed')
  t.not(upset(1, 8, { share: 0.02, status: 503 }, 5000), first, 'and at another controller')
  t.equal(upset(1, 7, { share: 0 }), '.'.repeat(500))
  t.equal(upset(1, 7, {}), '!'.repeat(500))
})

t.test('a rule is about paths and methods', async (t) => {
  const faults = new Faults(1, 1, [{ path: '/redfish/v1/Systems*', methods: ['GET'] }])
  const meets = (method: string, target: string) => faults.next({ ...head, method, target }) !== undefined
  t.ok(meets('GET', '/redfish/v1/systems/1/?$select=Id'))
  t.notOk(meets('PATCH', '/redfish/v1/Systems/1/'))
  t.notOk(meets('GET', '/redfish/v1/Chassis/1/'))
  t.notOk(new Faults(1, 1, [{ path: '/redfish/v1' }]).next({ ...head, target: '/redfish/v1/x' }))
  t.ok(new Faults(1, 1, [{ path: '/a.b(' }]).next({ ...head, target: '/a.b(' }), 'nothing but * is special')
})

t.test('an answer is another one', async (t) => {
  const body = new TextEncoder().encode('{"@odata.id":"/redfish/v1/Systems/1/","Name":"x","Id":"1"}')
  const headers = ['ETag', '"1"', 'Content-Length', String(body.length)]
  const answered = (rule: FaultRule, status = 200) =>
    new Faults(1, 1, [rule]).next(head)!.answer({ status, headers, body: status === 204 ? undefined : body })
  const text = (rule: FaultRule) => new TextDecoder().decode(answered(rule).body)
  t.equal(text({ missing: ['Name'] }), '{"@odata.id":"/redfish/v1/Systems/1/","Id":"1"}')
  t.equal(text({ quirks: ['NoTrailingSlash'] }), '{"@odata.id":"/redfish/v1/Systems/1","Name":"x","Id":"1"}')
  t.strictSame(answered({ missing: ['Name'] }).headers, ['ETag', '"1"', 'Content-Length', '47'])
  t.notOk(answered({ quirks: ['NoETag'] }).headers.includes('ETag'))
  t.strictSame(answered({ quirks: ['WrongETag'] }).headers.slice(0, 2), ['ETag', '"0"'])
  t.equal(answered({ quirks: ['OkForNoContent'] }, 204).status, 200)
  t.equal(answered({}).body, body)
})

t.test('a request is another one', async (t) => {
  const asked = (rule: FaultRule, target: string) =>
    new Faults(1, 1, [rule]).next(head)!.head({ ...head, target, headers: { 'x-auth-token': 'mine', host: 'x' } })
  t.strictSame(asked({ expireSession: true }, '/').headers, { host: 'x', 'x-auth-token': 'expired' })
  t.strictSame(asked({}, '/').headers, { host: 'x', 'x-auth-token': 'mine' })
  t.equal(asked({ quirks: ['NoTrailingSlash'] }, '/redfish/v1/Systems?$top=1').target, '/redfish/v1/Systems/?$top=1')
})

t.test('a refusal has its status and says when to come again', async (t) => {
  const refused = new Faults(1, 1, [{ status: 503, retryAfter: 7 }]).next(head)!.refusal(messages)!
  t.equal(refused.status, 503)
  t.equal(refused.headers[refused.headers.indexOf('Retry-After') + 1], '7')
  t.match(new TextDecoder().decode(refused.body), /ServiceTemporarilyUnavailable/)
  t.equal(new Faults(1, 1, [{ status: 418 }]).next(head)!.refusal(messages)!.status, 418)
  t.equal(new Faults(1, 1, [{ delay: 1 }]).next(head)!.refusal(messages), undefined)
})

t.test('delays add up, and jitter comes on top', async (t) => {
  const faults = new Faults(1, 1, [{ delay: 0.2 }, { delay: 0.1, jitter: 0.05 }])
  const delays = Array.from({ length: 50 }, () => faults.next(head)!.delay)
  t.ok(delays.every((delay) => delay >= 300 && delay < 350))
  t.ok(new Set(delays).size > 40)
})
