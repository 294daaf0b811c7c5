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

t.test('a share of the requests fails, the same ones each time', async (t) => {
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
  const body = new TextEncoder().encode('{"@odata.id":"/redfish/v1/Systems/1/","Name":"x","Id":"1"}\n')
  const headers = ['ETag', '"1"', 'Content-Length', String(body.length)]
  const answered = (rule: FaultRule) => new Faults(1, 1, [rule]).next(head)!.answer({ status: 200, headers, body })
  const text = (rule: FaultRule) => new TextDecoder().decode(answered(rule).body)
  t.equal(text({ missing: ['Name'] }), '{"@odata.id":"/redfish/v1/Systems/1/","Id":"1"}\n')
  t.equal(text({ quirks: ['NoTrailingSlash'] }), '{"@odata.id":"/redfish/v1/Systems/1","Name":"x","Id":"1"}\n')
  t.strictSame(answered({ missing: ['Name'] }).headers, ['ETag', '"1"', 'Content-Length', '48'])
  t.notOk(answered({ quirks: ['NoETag'] }).headers.includes('ETag'))
  t.strictSame(answered({ quirks: ['WrongETag'] }).headers.slice(0, 2), ['ETag', '"0"'])
  t.equal(answered({}).body, body)
})

t.test('without trailing slashes no URI of the service has one', async (t) => {
  const uris = (slash: string) => ({
    '@odata.id': `/redfish/v1/Systems${slash}`,
    '@odata.context': '/redfish/v1/$metadata#ComputerSystem.ComputerSystem',
    Actions: { '#X.Reset': { target: `/redfish/v1/Systems/1/Actions/X.Reset${slash}` } },
    Members: [{ Uri: `/redfish/v1/Registries/Base${slash}`, Part: `/redfish/v1/Chassis/1/Power${slash}#/Voltages/0` }],
    '@odata.nextLink': `/redfish/v1/Systems${slash}?$skip=50`,
    MountPoint: '/mnt/',
    Destination: 'https://192.0.2.1/redfish/v1/'
  })
  const headers = (slash: string) => [
    'Location',
    `/redfish/v1/Systems/1${slash}`,
    'Link',
    `</redfish/v1/schemas/X${slash}>; rel=describedby`
  ]
  const body = new TextEncoder().encode(JSON.stringify(uris('/')))
  const upset = new Faults(1, 1, [{ quirks: ['NoTrailingSlash'] }]).next(head)!
  const answer = upset.answer({ status: 200, headers: headers('/'), body })
  t.same(JSON.parse(new TextDecoder().decode(answer.body)), uris(''))
  t.same(answer.headers.slice(0, 4), headers(''))
})

t.test('entity tags are missing or wrong in bodies too', async (t) => {
  const shown = { '@odata.etag': '"1"', Members: [{ '@odata.etag': '"2"', Id: '1' }] }
  const body = new TextEncoder().encode(JSON.stringify(shown))
  const bent = (quirk: 'NoETag' | 'WrongETag') => {
    const answer = new Faults(1, 1, [{ quirks: [quirk] }]).next(head)!.answer({ status: 200, headers: [], body })
    return JSON.parse(new TextDecoder().decode(answer.body))
  }
  t.same(bent('NoETag'), { Members: [{ Id: '1' }] })
  t.same(bent('WrongETag'), { '@odata.etag': '"0"', Members: [{ '@odata.etag': '"0"', Id: '1' }] })
})

t.test('an answer with only messages is 204 for makers that answer so', async (t) => {
  const answered = (status: number, shown: object) => {
    const body = new TextEncoder().encode(JSON.stringify(shown))
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(body.length), 'Allow', 'GET']
    return new Faults(1, 1, [{ quirks: ['NoContentForOk'] }]).next(head)!.answer({ status, headers, body })
  }
  t.same(answered(200, { error: {} }), { status: 204, headers: ['Allow', 'GET'], body: undefined })
  t.equal(answered(200, { CSRString: '', error: {} }).status, 200)
  t.equal(answered(400, { error: {} }).status, 400)
})

t.test('of several reboots the longest applies', async (t) => {
  const rebooted = (...rules: FaultRule[]) => new Faults(1, 1, rules).next(head)!.reboot
  t.equal(rebooted({ reboot: 2 }, { reboot: 3 }, {}), 3000)
  t.equal(rebooted({ reboot: 0 }), 0)
  t.equal(rebooted({}), undefined)
})

t.test('a rule may hold after some requests, and for some', async (t) => {
  t.equal(upset(1, 1, { after: 3, times: 2 }, 8), '...!!...')
  t.equal(upset(1, 1, { times: 1 }, 3), '!..')
  const faults = new Faults(1, 1, [{ path: '/redfish/v1/Systems/1', after: 1, times: 1 }])
  const asked = (target: string) => faults.next({ ...head, target }) !== undefined
  t.same(['/x', '/y', head.target, '/x', head.target, head.target].map(asked), [
    false,
    false,
    false,
    false,
    true,
    false
  ])
  faults.rules = [...faults.rules]
  t.same([head.target, head.target].map(asked), [false, true], 'the counts begin anew with other rules')
})

t.test('a request is another one', async (t) => {
  const asked = (rule: FaultRule, target: string) =>
    new Faults(1, 1, [rule]).next(head)!.head({ ...head, target, headers: { 'x-auth-token': 'mine', host: 'x' } })
  t.strictSame(asked({ expireSession: true }, '/').headers, { host: 'x', 'x-auth-token': 'expired' })
  t.strictSame(asked({}, '/').headers, { host: 'x', 'x-auth-token': 'mine' })
  t.equal(asked({ quirks: ['NoTrailingSlash'] }, '/redfish/v1/Systems?$top=1').target, '/redfish/v1/Systems/?$top=1')
})

t.test('a refusal has its status and Retry-After', async (t) => {
  const refused = new Faults(1, 1, [{ status: 503, retryAfter: 7 }]).next(head)!.refusal(messages)!
  t.equal(refused.status, 503)
  t.equal(refused.headers[refused.headers.indexOf('Retry-After') + 1], '7')
  t.match(new TextDecoder().decode(refused.body), /ServiceTemporarilyUnavailable/)
  t.equal(new Faults(1, 1, [{ status: 418 }]).next(head)!.refusal(messages)!.status, 418)
  t.equal(new Faults(1, 1, [{ delay: 1 }]).next(head)!.refusal(messages), undefined)
})

t.test('delays add up, and jitter is added', async (t) => {
  const faults = new Faults(1, 1, [{ delay: 0.2 }, { delay: 0.1, jitter: 0.05 }])
  const delays = Array.from({ length: 50 }, () => faults.next(head)!.delay)
  t.ok(delays.every((delay) => delay >= 300 && delay < 350))
  t.ok(new Set(delays).size > 40)
})
