import t from 'tap'
import { configuration as defaults } from '#data/configuration'
import { event } from '#runtime/contract'
import { Semaphore } from '#runtime/service/events/semaphore.ts'
import { Store } from '#runtime/store/store.ts'
import { makeSigner } from '#test/host/certificates.ts'
import type { Json } from '#test/host/server.ts'
import { accepts, answers, deadPort, type Notification, Subscriber } from './subscriber.ts'
import { shortenTimers, Telling } from './telling.ts'

const { certificate: cert, key } = makeSigner(t, {
  subject: '/CN=subscriber',
  extensions: ['subjectAltName=IP:127.0.0.1']
})
const identity = { key, cert }
const created = (name: string) => event('ResourceEvent.ResourceCreated', `/redfish/v1/${name}`)
const originOf = (each: Json) => each.OriginOfCondition['@odata.id']
const origins = (events: readonly Json[]) => events.map(originOf)

t.test('an event reaches its subscriber as one notification', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const headers = telling.secrets.seal(JSON.stringify({ 'x-token': 'abc' }))
  await telling.subscribe('1', subscriber.uri, { context: 'rack "7"', headers })
  await telling.events.emit(event('MgmtEvents.AccountLocked', '/redfish/v1/AccountService/Accounts/ann', 'ann'))
  const { method, path, headers: sent, json } = await subscriber.next()
  t.match({ method, path }, { method: 'POST', path: '/events' })
  t.match(sent, { 'content-type': 'application/json;charset=utf-8', 'x-token': 'abc' })
  t.match(json, { '@odata.type': '#Event.v1_7_0.Event', Context: 'rack "7"', Name: 'Events', Id: /^\d+$/ })
  const [{ EventId, EventTimestamp, MemberId, ...only }, ...others] = json.Events
  t.same(others, [])
  t.same([EventId, MemberId], [json.Id, json.Id])
  t.match(EventTimestamp, /^\d{4}-\d\d-\d\dT/)
  t.same(only, {
    EventType: 'Alert',
    MessageId: 'MgmtEvents.1.0.AccountLocked',
    MessageArgs: ['ann'],
    Message: 'The account ann is locked after failed logins.',
    Severity: 'Warning',
    MessageSeverity: 'Warning',
    OriginOfCondition: { '@odata.id': '/redfish/v1/AccountService/Accounts/ann/' }
  })
  await telling.until('1', ({ delivered, queued }) => delivered === 1 && queued === 0)
  t.match(telling.subscriptions.status('1'), { trouble: 'none', failure: '', deliveredAt: /^\d{4}/ })
})

t.test('only subscribers to the registry of an event receive it', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', `${subscriber.uri}/1`, { prefixes: ['MgmtEvents'] })
  await telling.subscribe('2', `${subscriber.uri}/2`, { prefixes: ['ResourceEvent'] })
  await telling.subscribe('3', `${subscriber.uri}/3`, { format: 'MetricReport' })
  await telling.events.emit(created('a'))
  await telling.events.emit(event('MgmtEvents.ControllerStarted', '/redfish/v1/Managers/1'))
  const both = [await subscriber.next(), await subscriber.next()].map(({ path, json }) => [
    path,
    json.Events[0].MessageId
  ])
  t.same(both.sort(), [
    ['/events/1', 'MgmtEvents.1.0.ControllerStarted'],
    ['/events/2', 'ResourceEvent.1.3.ResourceCreated']
  ])
})

t.test('waiting events are sent in one notification, in order', async (t) => {
  const telling = await Telling.open(t, { settings: { batch: 4 } })
  const subscriber = await Subscriber.open(t, identity)
  const release = subscriber.hold()
  await telling.subscribe('1', subscriber.uri)
  await telling.events.emit(created('0'))
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/0/'])
  for (const name of ['1', '2', '3', '4', '5']) await telling.events.emit(created(name))
  release()
  const second = (await subscriber.next()).json
  t.same(
    origins(second.Events),
    ['1', '2', '3', '4'].map((name) => `/redfish/v1/${name}/`)
  )
  t.equal(second.Id, second.Events.at(-1).EventId)
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/5/'])
  t.equal(subscriber.connections, 1, 'the connection is kept')
})

t.test('a delivery that fails is tried again, with the same id', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 1, retryInterval: 0.02 })
  await telling.events.emit(created('a'))
  const first = await subscriber.next()
  subscriber.behaviour = accepts
  t.same((await subscriber.next()).json, first.json)
  await telling.until('1', ({ delivered }) => delivered === 1)
  t.match(telling.subscriptions.status('1'), { trouble: 'none', attemptsSpent: 0, failure: 'HTTP status 500' })
})

t.test('an event whose attempts are spent is dropped, and the next one is tried again', async (t) => {
  const telling = await Telling.open(t, { settings: { pause: 0.01 } })
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(503)
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 2, retryInterval: 0.01 })
  await telling.events.emit(created('a'))
  await telling.until('1', ({ attemptsSpent }) => attemptsSpent === 1)
  t.equal(subscriber.received.length, 3, 'the first attempt and two more')
  t.match(telling.subscriptions.status('1'), { trouble: 'unreachable', queued: 0, delivered: 0, failedAt: /^\d{4}/ })
  subscriber.behaviour = accepts
  await telling.events.emit(created('b'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  t.match(telling.subscriptions.status('1'), { trouble: 'none', attemptsSpent: 1 })
})

t.test('an attempt waits for the interval of the subscription, and after a spent event for the pause', async (t) => {
  const telling = await Telling.open(t, { settings: { pause: 150 } })
  const subscriber = await Subscriber.open(t, identity)
  const waited = shortenTimers(t, 100_000)
  for (const [id, retryInterval, expected] of [
    ['long', 170, [170_000, 150_000]],
    ['short', 130, [130_000, 130_000]]
  ] as const) {
    subscriber.behaviour = answers(500)
    await telling.subscribe(id, subscriber.uri, { retryInterval, retryAttempts: 1, retireAfter: 1440 })
    await telling.events.emit(created('a'))
    await telling.until(id, ({ attemptsSpent }) => attemptsSpent === 1)
    subscriber.behaviour = accepts
    await telling.events.emit(created('b'))
    await telling.until(id, ({ delivered }) => delivered === 1)
    t.same(waited.splice(0), expected)
    await telling.store.commit({ subscription: { [id]: null } })
  }
})

t.test('a subscription with TerminateAfterRetries ends after its attempts, and others receive the event', async (t) => {
  const telling = await Telling.open(t)
  const [dead, sound] = [await Subscriber.open(t, identity), await Subscriber.open(t, identity)]
  dead.behaviour = answers(500)
  const more = { retryAttempts: 1, retryInterval: 0.01, retryPolicy: 'TerminateAfterRetries' } as const
  await telling.subscribe('1', dead.uri, more)
  await telling.subscribe('2', sound.uri)
  await telling.events.emit(created('a'))
  const [first, second] = await sound.nextEvents(2)
  t.equal(dead.received.length, 2)
  t.same(
    [first?.OriginOfCondition['@odata.id'], second?.MessageId],
    ['/redfish/v1/a/', 'ResourceEvent.1.3.ResourceRemoved']
  )
  t.equal(second?.OriginOfCondition['@odata.id'], '/redfish/v1/EventService/Subscriptions/1/')
  t.same([telling.store.keys('subscription'), telling.store.get('delivery', '1')], [['2'], undefined])
})

t.test('a suspended subscription waits until it is resumed, and then continues', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 0, retryPolicy: 'SuspendRetries' })
  const suspended = () => telling.store.get('subscription', '1')?.suspended
  await new Promise<void>((resolve) => {
    telling.store.on('subscription', () => suspended() && resolve())
    void telling.events.emit(created('a'))
  })
  await telling.events.emit(created('missed'))
  subscriber.behaviour = accepts
  await telling.store.commit({ subscription: { 1: { suspended: false } } })
  await telling.events.emit(created('b'))
  const events = subscriber.received.flatMap(({ json }) => json.Events)
  while (!origins(events).includes('/redfish/v1/b/')) events.push(...(await subscriber.next()).json.Events)
  t.notOk(origins(events).includes('/redfish/v1/missed/'))
  t.match(telling.subscriptions.status('1'), { attemptsSpent: 1 })
})

t.test('with a backoff each attempt waits twice as long as the one before', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, {
    retryAttempts: 2,
    retryInterval: 0.2,
    retryPolicy: 'RetryForeverWithBackoff'
  })
  const times: number[] = []
  await telling.events.emit(created('a'))
  for (let count = 0; count < 3; count += 1) {
    await subscriber.next()
    times.push(performance.now())
  }
  const [first = 0, second = 0, third = 0] = times
  t.ok(second - first >= 190 && third - second >= 390, `${second - first} ms, ${third - second} ms`)
  await telling.until('1', ({ attemptsSpent }) => attemptsSpent === 1)
})

t.test('a backoff is ten minutes at most, and begins anew after a success', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const retryInterval = 170
  const waited = shortenTimers(t, retryInterval * 1000)
  const more = { retryInterval, retireAfter: 1440, retryAttempts: 100, retryPolicy: 'RetryForeverWithBackoff' } as const
  await telling.subscribe('1', subscriber.uri, more)
  subscriber.behaviour = (response) => {
    if (subscriber.received.length === 4) subscriber.behaviour = accepts
    answers(500)(response, subscriber.received[0] as Notification)
  }
  await telling.events.emit(created('a'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  t.same(waited.splice(0), [170_000, 340_000, 600_000, 600_000])
  subscriber.behaviour = (response) => {
    subscriber.behaviour = accepts
    answers(500)(response, subscriber.received[0] as Notification)
  }
  await telling.events.emit(created('b'))
  await telling.until('1', ({ delivered }) => delivered === 2)
  t.same(waited, [170_000])
})

for (const [what, behaviour, failure] of [
  ['a redirect', answers(302, { location: '/elsewhere' }), 'HTTP status 302'],
  ['a status after those of success', answers(300), 'HTTP status 300'],
  ['a client error', answers(404), 'HTTP status 404'],
  [
    'headers without end',
    (response: import('node:http').ServerResponse) => {
      response.writeHead(200, { long: 'x'.repeat(10_000) }).end()
    },
    /[Hh]eader/
  ],
  ['no answer', () => undefined, 'no answer within 0.3 s'],
  ['a closed connection', (response: import('node:http').ServerResponse) => void response.destroy(), /./]
] as const) {
  t.test(`${what} is a failure`, async (t) => {
    const telling = await Telling.open(t, { settings: { deliveryTime: 0.3 } })
    const subscriber = await Subscriber.open(t, identity)
    subscriber.behaviour = behaviour
    await telling.subscribe('1', subscriber.uri, { retryAttempts: 0 })
    await telling.events.emit(created('a'))
    await telling.until('1', ({ attemptsSpent }) => attemptsSpent === 1)
    t.match(telling.subscriptions.status('1'), { failure, delivered: 0 })
    t.equal(subscriber.received.length, 1)
  })
}

t.test('the last status of success is one', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(299)
  await telling.subscribe('1', subscriber.uri)
  await telling.events.emit(created('a'))
  await telling.until('1', ({ delivered }) => delivered === 1)
})

t.test('a body without end is no failure, and is not read', async (t) => {
  const telling = await Telling.open(t, { settings: { answerBody: 1000 } })
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = (response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('x'.repeat(500)), 1)
    response.on('close', () => clearInterval(drip))
  }
  await telling.subscribe('1', subscriber.uri)
  await telling.events.emit(created('a'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  t.equal(telling.subscriptions.status('1').trouble, 'none')
})

t.test('a connection that the subscriber closed meanwhile costs no attempt', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 0 })
  await telling.events.emit(created('a'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  subscriber.behaviour = (response) => {
    subscriber.behaviour = accepts
    response.destroy()
  }
  await telling.events.emit(created('b'))
  await telling.until('1', ({ delivered }) => delivered === 2)
  t.equal(telling.subscriptions.status('1').attemptsSpent, 0)
})

t.test('a subscriber that closes each connection is a failure after one more attempt', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 0 })
  await telling.events.emit(created('a'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  subscriber.behaviour = (response) => void response.destroy()
  await telling.events.emit(created('b'))
  await telling.until('1', ({ attemptsSpent }) => attemptsSpent === 1)
  t.equal(subscriber.received.length, 3)
})

t.test('a destination that refuses, or an unknown host, is reported', async (t) => {
  const telling = await Telling.open(t)
  await telling.subscribe('dead', `https://127.0.0.1:${await deadPort()}/`, { retryAttempts: 0 })
  await telling.subscribe('nowhere', 'https://nowhere.invalid/', { retryAttempts: 0 })
  await telling.events.emit(created('a'))
  for (const [id, failure] of [
    ['dead', /ECONNREFUSED/],
    ['nowhere', /nowhere\.invalid/]
  ] as const) {
    await telling.until(id, ({ attemptsSpent }) => attemptsSpent === 1)
    t.match(telling.subscriptions.status(id), { failure, trouble: 'unreachable' })
  }
})

t.test('a subscriber that never answers does not delay others', async (t) => {
  const telling = await Telling.open(t)
  const [silent, good] = [await Subscriber.open(t, identity), await Subscriber.open(t, identity)]
  silent.behaviour = () => undefined
  await telling.subscribe('1', silent.uri)
  await telling.subscribe('2', good.uri)
  for (const name of ['a', 'b', 'c']) await telling.events.emit(created(name))
  t.same(
    origins(await good.nextEvents(3)),
    ['a', 'b', 'c'].map((name) => `/redfish/v1/${name}/`)
  )
  t.equal(silent.received.length, 1)
})

/** Two controllers of a fleet, with a listener that answers the first one's notification when it is let. */
async function sharing(t: Parameters<typeof Telling.open>[0], more: Parameters<Telling['subscribe']>[2] = {}) {
  const semaphore = new Semaphore(1)
  const [first, second] = [await Telling.open(t, { semaphore }), await Telling.open(t, { semaphore })]
  const subscriber = await Subscriber.open(t, identity)
  const answered = new Promise<() => void>((resolve) => {
    subscriber.behaviour = (response) => {
      subscriber.behaviour = accepts
      resolve(() => response.writeHead(204).end())
    }
  })
  await first.subscribe('1', subscriber.uri)
  await second.subscribe('1', subscriber.uri, more)
  await first.events.emit(created('first'))
  await subscriber.next()
  return { second, subscriber, answer: await answered }
}

t.test('controllers take turns with a busy listener, and later events are sent together', async (t) => {
  const { second, subscriber, answer } = await sharing(t)
  for (const name of ['a', 'b', 'c']) await second.events.emit(created(name))
  await second.subscribe('2', `${subscriber.uri}/deleted`)
  await second.events.emit(created('d'))
  await second.store.commit({ subscription: { 2: null } })
  t.equal(second.subscriptions.status('1').queued, 4)
  answer()
  const names = ['a', 'b', 'c', 'd'].map((name) => `/redfish/v1/${name}/`)
  t.same(origins((await subscriber.next()).json.Events), names)
  await second.events.emit(created('e'))
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/e/'], 'the deleted one has no place')
})

t.test('a queue that is full does not take turns', async (t) => {
  const { second, subscriber } = await sharing(t, { mostQueued: 2 })
  for (const name of ['a', 'b']) await second.events.emit(created(name))
  t.same(origins(await subscriber.nextEvents(2)), ['/redfish/v1/a/', '/redfish/v1/b/'])
})

t.test('controllers do not take turns with other listeners', async (t) => {
  const { second } = await sharing(t)
  const other = await Subscriber.open(t, identity)
  await second.subscribe('2', other.uri)
  await second.events.emit(created('a'))
  t.same(origins(await other.nextEvents(1)), ['/redfish/v1/a/'])
})

t.test('a controller that waits for its turn can be closed', async (t) => {
  const { second, subscriber, answer } = await sharing(t)
  await second.events.emit(created('a'))
  await second.close()
  answer()
  t.equal(subscriber.received.length, 1)
})

t.test('a full queue drops its oldest event, except one that is being sent', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const release = subscriber.hold()
  await telling.subscribe('1', subscriber.uri, { mostQueued: 2 })
  await telling.events.emit(created('0'))
  await subscriber.next()
  for (const name of ['1', '2', '3', '4']) await telling.events.emit(created(name))
  t.match(telling.subscriptions.status('1'), { queueFull: 2, queued: 3 })
  release()
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/3/', '/redfish/v1/4/'])
  await telling.until('1', ({ delivered }) => delivered === 3)
})

t.test('a queue that is too long drops its oldest events after a failure, and when its bound is lowered', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const fail = subscriber.hold(answers(500))
  await telling.subscribe('1', subscriber.uri, { mostQueued: 3, retryInterval: 600 })
  await telling.events.emit(created('0'))
  await subscriber.next()
  for (const name of ['1', '2', '3']) await telling.events.emit(created(name))
  t.match(telling.subscriptions.status('1'), { queueFull: 0, queued: 4 }, 'the one that is being sent does not count')
  fail()
  await telling.until('1', ({ trouble }) => trouble === 'failing')
  t.match(telling.subscriptions.status('1'), { queueFull: 1, queued: 3 })
  await telling.store.commit({ subscription: { 1: { mostQueued: 1 } } })
  t.match(telling.subscriptions.status('1'), { queueFull: 3, queued: 1 })
})

t.test('of events that come together the oldest give way before any is sent', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri, { mostQueued: 2 })
  await telling.events.emit(created('a'), created('b'), created('c'))
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/b/', '/redfish/v1/c/'])
  await telling.until('1', ({ delivered }) => delivered === 2)
  t.match(telling.subscriptions.status('1'), { queueFull: 1 })
})

t.test('events that are sent together count their attempts separately', async (t) => {
  const telling = await Telling.open(t, { settings: { pause: 0.01 } })
  const subscriber = await Subscriber.open(t, identity)
  const fails: (() => unknown)[] = []
  subscriber.behaviour = (response, notification) => void fails.push(() => answers(500)(response, notification))
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 1, retryInterval: 0.01 })
  await telling.events.emit(created('a'))
  await subscriber.next()
  await telling.events.emit(created('b'))
  fails.shift()?.()
  const both = ['/redfish/v1/a/', '/redfish/v1/b/']
  t.same(origins((await subscriber.next()).json.Events), both)
  subscriber.behaviour = accepts
  fails.shift()?.()
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/b/'])
  await telling.until('1', ({ delivered }) => delivered === 1)
  t.match(telling.subscriptions.status('1'), { attemptsSpent: 1, queued: 0, trouble: 'none', queueFull: 0 })
})

t.test('headers that were sealed with another key are not sent, and the log says so', async (t) => {
  const [telling, other] = [await Telling.open(t), await Telling.open(t)]
  const subscriber = await Subscriber.open(t, identity)
  const lines = t.capture(telling.store.log, 'error', () => {})
  const headers = other.secrets.seal(JSON.stringify({ 'x-token': 'abc' }))
  await telling.subscribe('1', subscriber.uri, { headers })
  await telling.events.emit(created('a'))
  t.notOk('x-token' in (await subscriber.next()).headers)
  t.match(
    lines().map(({ args }) => args),
    [['headers were sealed with another key', { destination: subscriber.uri }]]
  )
})

t.test('the end of a subscription and the progress of deliveries are logged when they cannot be stored', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const { store } = telling
  const commit = store.commit.bind(store)
  const told: unknown[] = []
  t.capture(store.log, 'error', (...args: unknown[]) => told.push(args))
  let fail = () => undefined as unknown
  subscriber.behaviour = (response, notification) => {
    fail = () => answers(500)(response, notification)
  }
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 0, retryPolicy: 'TerminateAfterRetries' })
  await telling.events.emit(created('a'))
  await subscriber.next()
  store.commit = () => Promise.reject(new Error('the disk is full'))
  fail()
  while (told.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  store.commit = commit
  const cause = 'the disk is full'
  t.match(told, [
    ['a subscription without attempts left was not ended', { subscription: '1', cause }],
    ['the progress of deliveries was not stored', { cause }]
  ])
  t.same(store.keys('subscription'), ['1'])
})

t.test('an event that is too old is dropped while it waits for the next attempt', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryInterval: 600, retireAfter: 1 })
  telling.ahead = -59_900
  await telling.events.emit(created('a'))
  telling.ahead = 0
  await telling.until('1', ({ retired }) => retired === 1)
  t.match(telling.subscriptions.status('1'), { queued: 0, delivered: 0 })
})

t.test('an event waits as long as it should when the clock is set forward', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryInterval: 0.01, retryAttempts: 1000, retireAfter: 1 })
  await telling.events.emit(created('a'))
  await subscriber.next()
  telling.set = 86_400_000
  await subscriber.next()
  subscriber.behaviour = accepts
  await telling.until('1', ({ delivered }) => delivered === 1)
})

t.test('an event that is too old is dropped also when the clock was set back', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryInterval: 600, retireAfter: 1 })
  telling.ahead = -59_900
  await telling.events.emit(created('a'))
  telling.set = -86_400_000
  telling.ahead = 0
  await telling.until('1', ({ retired }) => retired === 1)
})

t.test('an event that a clock which was ahead has stored is as old as the start', async (t) => {
  const directory = t.testdir()
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  const first = await Telling.open(t, { directory })
  first.set = 86_400_000
  await first.subscribe('1', subscriber.uri, { retryInterval: 600, retireAfter: 1 })
  await first.events.emit(created('a'))
  await first.close()
  const second = await Telling.open(t, { directory, ahead: -59_900 })
  second.ahead = 0
  await second.until('1', ({ retired }) => retired === 1)
})

t.test('certificates are verified if the subscription asks for it', async (t) => {
  const authorities: string[] = []
  const telling = await Telling.open(t, { trust: { authorities: () => authorities }, settings: { pause: 0.01 } })
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri, { verifyCertificate: true, retryAttempts: 0 })
  await telling.events.emit(created('a'))
  await telling.until('1', ({ attemptsSpent }) => attemptsSpent === 1)
  t.match(telling.subscriptions.status('1').failure, /self-signed/)
  t.equal(subscriber.received.length, 0)
  authorities.push(cert)
  await telling.events.emit(created('b'))
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/b/'])
})

t.test('the service sends its certificate if the subscription asks for it', async (t) => {
  const own = makeSigner(t, { subject: '/CN=service' })
  const telling = await Telling.open(t, { trust: { identity: () => ({ key: own.key, cert: own.certificate }) } })
  const subscriber = await Subscriber.open(t, { ...identity, requestCert: true, rejectUnauthorized: false })
  await telling.subscribe('1', `${subscriber.uri}/1`, { mutualAuthentication: true })
  await telling.subscribe('2', `${subscriber.uri}/2`)
  await telling.events.emit(created('a'))
  const shown = [await subscriber.next(), await subscriber.next()].map(({ path, shown }) => [path, shown])
  t.same(shown.sort(), [
    ['/events/1', 'service'],
    ['/events/2', undefined]
  ])
})

t.test('a new certificate is shown over a new connection, and the same one over the same', async (t) => {
  let own = makeSigner(t, { subject: '/CN=first' })
  const telling = await Telling.open(t, { trust: { identity: () => ({ key: own.key, cert: own.certificate }) } })
  const subscriber = await Subscriber.open(t, { ...identity, requestCert: true, rejectUnauthorized: false })
  await telling.subscribe('1', subscriber.uri, { mutualAuthentication: true })
  for (const [subject, connections] of [
    ['first', 1],
    ['first', 1],
    ['second', 2]
  ] as const) {
    if (subject === 'second') own = makeSigner(t, { subject: '/CN=second' })
    await telling.events.emit(created('a'))
    t.same([(await subscriber.next()).shown, subscriber.connections], [subject, connections])
    await telling.until('1', ({ queued }) => queued === 0)
  }
})

t.test('a change of the trusted authorities opens a new connection', async (t) => {
  const telling = await Telling.open(t, { trust: { authorities: () => [cert] }, settings: { keepAlive: 600 } })
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri, { verifyCertificate: true })
  for (const connections of [1, 2]) {
    await telling.events.emit(created('a'))
    await subscriber.next()
    t.equal(subscriber.connections, connections)
    await telling.until('1', ({ queued }) => queued === 0)
    const ended = subscriber.ended()
    await telling.store.commit({ trustedCertificate: { 1: { pem: `${connections}` } } })
    await ended
  }
})

t.test('a restart delivers the waiting events only', async (t) => {
  const first = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  await first.subscribe('1', subscriber.uri, { retryInterval: 600 })
  await first.events.emit(created('a'))
  await first.until('1', ({ delivered }) => delivered === 1)
  subscriber.behaviour = answers(500)
  await first.events.emit(created('b'))
  const [, failed] = [await subscriber.next(), await subscriber.next()]
  await first.until('1', ({ trouble }) => trouble === 'failing')
  await first.close()
  subscriber.behaviour = accepts
  const second = await Telling.open(t, { directory: first.directory })
  t.same((await subscriber.next()).json, failed.json)
  await second.until('1', ({ delivered }) => delivered === 2)
  await second.events.emit(created('c'))
  const { json } = await subscriber.next()
  t.ok(BigInt(json.Id) > BigInt(failed.json.Id), 'ids go on')
  t.equal(subscriber.received.length, 4)
})

t.test('after a crash no event is lost, and repeated ones keep their id', async (t) => {
  const first = await Telling.open(t, { settings: { saveEvery: 600 } })
  const subscriber = await Subscriber.open(t, identity)
  await first.subscribe('1', subscriber.uri)
  for (const name of ['a', 'b']) await first.events.emit(created(name))
  const before = await subscriber.nextEvents(2)
  await first.until('1', ({ delivered }) => delivered === 2)
  await first.crash()
  await Telling.open(t, { directory: first.directory })
  t.same((await subscriber.next()).json.Events, before, 'in one notification')
})

t.test('only deliveries that got on are stored', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const stored: string[] = []
  telling.store.on('delivery', (id) => stored.push(id))
  await telling.subscribe('1', subscriber.uri, { prefixes: ['ResourceEvent'] })
  await telling.subscribe('2', subscriber.uri, { prefixes: ['MgmtEvents'] })
  const isStored = (id: string) => telling.store.get('delivery', id)?.delivered === 1
  await telling.events.emit(created('a'))
  while (!isStored('1')) await new Promise((resolve) => setTimeout(resolve, 5))
  await telling.events.emit(event('MgmtEvents.ControllerStarted', '/redfish/v1/Managers/1'))
  while (!isStored('2')) await new Promise((resolve) => setTimeout(resolve, 5))
  t.same(stored, ['1', '2'])
})

t.test('a notification that is under way is not sent twice when its subscription is changed', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const accept = subscriber.hold()
  await telling.subscribe('1', subscriber.uri)
  await telling.events.emit(created('a'))
  await subscriber.next()
  await telling.store.commit({ subscription: { 1: { context: 'other' } } })
  await telling.events.emit(created('b'))
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  accept()
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/b/'])
  await telling.until('1', ({ delivered }) => delivered === 2)
  t.equal(subscriber.received.length, 2)
})

t.test('a notification that the end of the service cuts off has not failed', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = () => undefined
  await telling.subscribe('1', subscriber.uri, { retryAttempts: 0, retryPolicy: 'TerminateAfterRetries' })
  await telling.events.emit(created('a'))
  await subscriber.next()
  const ended = subscriber.ended()
  await telling.subscriptions.close()
  await ended
  await telling.store.commit({})
  t.same(telling.store.keys('subscription'), ['1'])
  t.match(telling.subscriptions.status('1'), { queued: 1, attemptsSpent: 0, failedAt: '', failure: '' })
})

t.test('deliveries that have closed store their progress at once, and not again', async (t) => {
  const telling = await Telling.open(t, { settings: { saveEvery: 0.05 } })
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri)
  await telling.events.emit(created('a'))
  await telling.until('1', ({ delivered }) => delivered === 1)
  const commits = t.capture(telling.store, 'commit', telling.store.commit.bind(telling.store))
  await telling.subscriptions.close()
  const nothingLost = { queueFull: 0, retired: 0, attemptsSpent: 0 }
  t.match(telling.store.get('delivery', '1'), { delivered: 1, ...nothingLost })
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.equal(commits().length, 1)
})

t.test('events and reports that waited are sent in their order after a restart', async (t) => {
  const first = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await first.subscribe('1', subscriber.uri, { retryInterval: 600 })
  await first.subscribe('2', subscriber.uri, { format: 'MetricReport', retryInterval: 600 })
  await first.events.emit(created('a'))
  await first.events.report({ Id: 'Fans' }, '/redfish/v1/x/Fans')
  await first.events.emit(created('b'))
  await first.close()
  const store = await Store.open(`${first.directory}/store`, defaults.store)
  const to = ['1']
  for (const table of ['event', 'report'] as const)
    await store.commit({ [table]: Object.fromEntries(store.keys(table).map((key) => [key, { to }])) })
  await store.close()
  const before = subscriber.received.length
  subscriber.behaviour = accepts
  const second = await Telling.open(t, { directory: first.directory })
  await second.until('1', ({ delivered }) => delivered === 3)
  const after = subscriber.received.slice(before).map(({ json }) => json.Events?.map(originOf) ?? json.Id)
  t.same(after, [['/redfish/v1/a/'], 'Fans', ['/redfish/v1/b/']])
})

t.test('a changed subscription keeps its queue', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryInterval: 0.05, retryAttempts: 10 })
  await telling.events.emit(created('a'))
  await subscriber.next()
  subscriber.behaviour = accepts
  await telling.store.commit({ subscription: { 1: { context: 'other' } } })
  const { json } = await subscriber.next()
  t.match(json, { Context: 'other', Events: [{ OriginOfCondition: { '@odata.id': '/redfish/v1/a/' } }] })
})

t.test('a metric report reaches subscriptions that list its definition, or list none', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  const [cpu, fans] = ['/redfish/v1/TelemetryService/MetricReportDefinitions/CPU', '/redfish/v1/x/Fans']
  const reports = { format: 'MetricReport' } as const
  await telling.subscribe('1', `${subscriber.uri}/1`, { ...reports, metricReportDefinitions: [cpu], context: 'one' })
  await telling.subscribe('2', `${subscriber.uri}/2`, reports)
  await telling.subscribe('3', `${subscriber.uri}/3`)
  await telling.events.report({ Id: 'Fans', MetricValues: [] }, fans)
  await telling.events.report({ Id: 'CPU', MetricValues: [] }, cpu)
  const told = [await subscriber.next(), await subscriber.next(), await subscriber.next()]
  t.same(told.map(({ path, json }) => [path, json.Id, json.Context]).sort(), [
    ['/events/1', 'CPU', 'one'],
    ['/events/2', 'CPU', ''],
    ['/events/2', 'Fans', '']
  ])
  await telling.until('2', ({ delivered }) => delivered === 2)
  await telling.until('1', ({ delivered }) => delivered === 1)
  while (telling.store.keys('report').length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
})

t.test('an event is kept for streams for a while, and longer while a subscription waits for it', async (t) => {
  const telling = await Telling.open(t, { most: 1 })
  await telling.subscribe('1', `https://127.0.0.1:${await deadPort()}/`, { retryInterval: 600, mostQueued: 3 })
  const kept = () => telling.store.keys('event').map((key) => telling.store.get('event', key)?.origin.slice(-1))
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await telling.events.emit(created(name))
  // Events that gave way are deleted with the next commit.
  while (kept().includes('c')) await new Promise((resolve) => setTimeout(resolve, 5))
  t.same(kept(), ['d', 'e', 'f'])
  t.equal(telling.subscriptions.status('1').queued, 3)
  await telling.store.commit({ subscription: { 1: null } })
  await telling.events.emit(created('g'))
  t.same(kept(), ['g'])
})

t.test('a delivered event is not sent again while later ones wait', async (t) => {
  const first = await Telling.open(t, { settings: { batch: 1 } })
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = (response) => {
    subscriber.behaviour = answers(500)
    accepts(response, subscriber.received[0] as Notification)
  }
  await first.subscribe('1', subscriber.uri, { retryInterval: 600 })
  await first.events.emit(created('a'), created('b'))
  await first.until('1', ({ delivered, trouble }) => delivered === 1 && trouble === 'failing')
  await first.close()
  subscriber.behaviour = accepts
  const second = await Telling.open(t, { directory: first.directory })
  await second.until('1', ({ delivered }) => delivered === 2)
  t.same(
    origins(subscriber.received.flatMap(({ json }) => json.Events)),
    ['a', 'b', 'b'].map((name) => `/redfish/v1/${name}/`)
  )
})

t.test('what is known of an event goes with it', async (t) => {
  const telling = await Telling.open(t, { most: 2 })
  for (const name of ['a', 'b', 'c', 'd']) await telling.events.emit(created(name))
  const { backlog } = telling.events
  t.equal(telling.store.keys('event').length, 2)
  t.same([backlog.since(0).length, backlog.cleared(0)], [2, {}])
})

t.test('while the service is disabled nothing is queued', async (t) => {
  const telling = await Telling.open(t)
  const subscriber = await Subscriber.open(t, identity)
  await telling.subscribe('1', subscriber.uri)
  await telling.store.commit({ eventService: { settings: { enabled: false } } })
  await telling.events.emit(created('a'))
  await telling.store.commit({ eventService: { settings: { enabled: true } } })
  await telling.events.emit(created('b'))
  t.same(origins((await subscriber.next()).json.Events), ['/redfish/v1/b/'])
})

t.test('a deleted subscription receives nothing more, and leaves nothing behind', async (t) => {
  const telling = await Telling.open(t, { most: 1 })
  const subscriber = await Subscriber.open(t, identity)
  subscriber.behaviour = answers(500)
  await telling.subscribe('1', subscriber.uri, { retryInterval: 600 })
  for (const name of ['a', 'b', 'c']) await telling.events.emit(created(name))
  await subscriber.next()
  await telling.store.commit({ subscription: { 1: null }, delivery: { 1: null } })
  await telling.events.emit(created('d'))
  t.same(telling.store.keys('event').length, 1)
  t.same(telling.store.keys('delivery'), [])
  t.equal(subscriber.received.length, 1)
})
