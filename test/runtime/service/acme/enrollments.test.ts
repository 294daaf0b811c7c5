import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Configuration } from '#data/configuration'
import { enrollmentOf, enrollmentUri } from '#data/enrollment'
import { fileCerts } from '#hal/file/certs.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { renew as renewal } from '#runtime/service/acme/renewal.ts'
import { Identity } from '#runtime/service/certificates/identity.ts'
import { Events } from '#runtime/service/events/events.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { serveHttps } from '#test/runtime/service/https-server.ts'
import { openFixture, simulated } from '#test/runtime/service.ts'

const renew = `${enrollmentUri}/Actions/Oem/Vendor/VendorCertificateEnrollment.Renew`

/**
 * A service, and a server that reads requests, and says nothing, refuses them or ends the connection. `asked` settles with
 * the next request, `left` when the service ends the next connection.
 */
async function open(t: Test, says: 'nothing' | 'refused' | 'end', settings: Partial<Configuration['enrollment']> = {}) {
  const requests = new EventEmitter()
  const { origin, cert } = await serveHttps(t, ({ socket }, response) => {
    requests.emit('request')
    socket.once('close', () => requests.emit('left'))
    if (says === 'end') socket.destroy()
    // A client that keeps the connection may do so for as long as the test takes.
    if (says === 'refused') response.writeHead(404, { 'keep-alive': 'timeout=600' }).end()
  })
  const authorities = `${t.testdir({ 'authorities.pem': cert })}/authorities.pem`
  const fixture = await openFixture(({ enrollment }) => Object.assign(enrollment, { authorities, ...settings }))
  t.teardown(() => fixture.close())
  await fixture.ask('PATCH', enrollmentUri, { ServerURI: `${origin}/directory` })
  return {
    ...{ fixture, authorities, requests },
    asked: () => once(requests, 'request'),
    left: () => once(requests, 'left'),
    enrollment: () => enrollmentOf(fixture.service.store)
  }
}

t.test('the time until another attempt doubles with each failure, also across a restart, up to a limit', async (t) => {
  const { fixture, enrollment } = await open(t, 'end', { retryAfter: 300, retryMost: 1000 })
  const failed = async (failures: number) => {
    while (enrollment().failures < failures) await setImmediate()
    await fixture.service.store.commit({})
    await setImmediate()
  }
  const enabled = await fixture.ask('PATCH', enrollmentUri, { Enabled: true })
  t.equal(enabled.status, 200)
  await failed(1)
  for (const [before, pause] of [300, 600, 1000, 1000].entries()) {
    const last = enrollment()
    t.match(last, { failures: before + 1, triedAt: fixture.now() })
    fixture.sleep(pause - 1)
    if (before === 1) await fixture.restart()
    else await fixture.service.tend()
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    t.same(enrollment(), last, `not before ${pause} s`)
    fixture.sleep(1)
    await fixture.service.tend()
    await failed(before + 2)
  }
})

t.test('a renewal that a stop interrupts has not failed, and begins anew at the next start', async (t) => {
  const { fixture, asked, enrollment } = await open(t, 'nothing')
  const first = asked()
  const posted = await fixture.ask('POST', renew, {})
  t.equal(posted.status, 202)
  await first
  const second = asked()
  await fixture.restart()
  t.match(enrollment(), { state: 'InProgress', failures: 0, failure: '' })
  const task = await fixture.ask('GET', posted.headers.location!)
  t.match(task.json, { TaskState: 'Running' })
  await second
})

t.test('the connection to the server ends with the attempt', async (t) => {
  const { fixture, left, enrollment } = await open(t, 'refused')
  const ended = left()
  await fixture.ask('POST', renew, {})
  await ended
  while (enrollment().state === 'InProgress') await setImmediate()
  t.match(enrollment(), { state: 'Failed', failure: 'HTTP status 404' })
})

t.test('a renewal that cannot be stored is logged once, and begins anew when the service is tended', async (t) => {
  const { fixture, enrollment } = await open(t, 'refused')
  const { store } = fixture.service
  const commit = store.commit.bind(store)
  const lines: unknown[][] = []
  t.capture(store.log, 'error', (...args: unknown[]) => lines.push(args))
  let tries = 0
  const full = t.capture(store, 'commit', (...args: Parameters<typeof commit>) => {
    const isRenewal = typeof args[0] !== 'function' && args[0].certificateEnrollment?.HTTPS?.state === 'InProgress'
    if (isRenewal) tries += 1
    return isRenewal && tries < 9 ? Promise.reject(new Error('the disk is full')) : commit(...args)
  })
  await fixture.ask('POST', renew, {})
  while (tries === 0) await setImmediate()
  await sleep(100)
  t.match(lines, [['an enrollment was not stored', { cause: 'the disk is full' }]])
  t.equal(tries, 1)
  full.restore()
  await fixture.service.tend()
  while (enrollment().state !== 'Failed') await setImmediate()
})

t.test('an attempt that takes too long has failed, and its connection ends', async (t) => {
  const { fixture, left, enrollment } = await open(t, 'nothing', { time: 0.05 })
  const ended = left()
  await fixture.ask('POST', renew, {})
  await ended
  while (enrollment().state !== 'Failed') await setImmediate()
  t.equal(enrollment().failure, 'it takes longer than 0.05 s')
})

t.test('a renewal that is cancelled asks for nothing more, and stores nothing of how it went', async (t) => {
  const { fixture, authorities, requests, asked, left, enrollment } = await open(t, 'nothing')
  const { store } = fixture.service
  const { board, clock, configuration } = simulated(fixture.directory, (own) => {
    own.enrollment.authorities = authorities
  }).parts
  const events = new Events(store, board, configuration, clock.now)
  const secrets = Secrets.open(`${fixture.directory}/own-keys`, false)
  const identity = await Identity.open(fileCerts(`${fixture.directory}/own-tls`), secrets, new Date(), false)
  const tasks = new Tasks(store, events, clock.now)
  const parts = { store, board, events, tasks, identity, secrets, clock, configuration }
  const [first, gone] = [asked(), left()]
  const one = renewal(parts)
  await first
  one.cancel()
  await Promise.all([one.done, gone])
  t.match(enrollment(), { state: 'InProgress', failures: 0, failure: '' })
  let more = 0
  requests.on('request', () => {
    more += 1
  })
  const two = renewal(parts)
  two.cancel()
  await two.done
  t.match(enrollment(), { state: 'InProgress', failures: 0, failure: '' })
  t.equal(more, 0)
})
