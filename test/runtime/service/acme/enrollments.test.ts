import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Configuration } from '#data/configuration'
import { enrollmentOf, enrollmentUri } from '#data/enrollment'
import { serveHttps } from '#test/runtime/service/https-server.ts'
import { openFixture } from '#test/runtime/service.ts'

/** A service, and a server that reads requests, and says nothing or ends the connection; `asked` settles with the next one. */
async function open(t: Test, says: 'nothing' | 'end', settings: Partial<Configuration['enrollment']> = {}) {
  const requests = new EventEmitter()
  const { origin, cert } = await serveHttps(t, ({ socket }) => {
    requests.emit('request')
    if (says === 'end') socket.destroy()
  })
  const authorities = `${t.testdir({ 'authorities.pem': cert })}/authorities.pem`
  const fixture = await openFixture(({ enrollment }) => Object.assign(enrollment, { authorities, ...settings }))
  t.teardown(() => fixture.close())
  await fixture.ask('PATCH', enrollmentUri, { ServerURI: `${origin}/directory` })
  return { fixture, asked: () => once(requests, 'request'), enrollment: () => enrollmentOf(fixture.service.store) }
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
  const renew = `${enrollmentUri}/Actions/Oem/Vendor/VendorCertificateEnrollment.Renew`
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
