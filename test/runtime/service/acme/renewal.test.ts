import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ownCertificateUri } from '#data/certificates'
import type { Configuration } from '#data/configuration'
import { enrollmentOf, enrollmentUri } from '#data/enrollment'
import { pem } from '#runtime/base/pem.ts'
import { Authority } from '#test/host/authority.ts'
import { openFixture } from '#test/runtime/service.ts'
import { acmeServer } from './acme-server.ts'

const name = 'bmc-1'

/** A service, and an ACME server that certifies what it is asked for, for `bmc-1` unless a test says otherwise. */
async function open(t: Test, settings: Partial<Configuration['enrollment']> = {}) {
  const authority = new Authority(t, 'Issuer')
  let [certified, certificate] = [name, '']
  const { asked, origin, cert } = await acmeServer(t, ({ path, payload }, origin) => {
    if (path === '/order') {
      certificate = ''
      return [
        201,
        { finalize: `${origin}/finalize`, authorizations: [`${origin}/a`] },
        { location: `${origin}/order/1` }
      ]
    }
    if (path === '/a') return [200, { status: 'valid', identifier: { type: 'dns', value: name } }]
    if (path === '/finalize' && payload) {
      const request = pem('CERTIFICATE REQUEST', Buffer.from(String(payload.csr), 'base64url'))
      const extensions = ['basicConstraints=CA:FALSE', 'extendedKeyUsage=serverAuth', `subjectAltName=DNS:${certified}`]
      certificate = authority.sign(request, { extensions })
    }
    if (path === '/order/1')
      return [200, { status: certificate === '' ? 'ready' : 'valid', certificate: `${origin}/certificate` }]
    return path === '/certificate' ? [200, certificate] : undefined
  })
  const authorities = `${t.testdir({ 'authorities.pem': cert })}/authorities.pem`
  const fixture = await openFixture(({ enrollment }) => Object.assign(enrollment, { authorities, ...settings }))
  t.teardown(() => fixture.close())
  const wish = { ServerURI: `${origin}/directory`, CSRParameters: { AlternativeNames: [name] } }
  await fixture.ask('PATCH', enrollmentUri, wish)
  const enrollment = () => enrollmentOf(fixture.service.store)
  return {
    fixture,
    enrollment,
    shown: async () => (await fixture.ask('GET', `${ownCertificateUri('1')}/`)).json,
    /** The requests to a path. */
    to: (path: string) => asked.filter((each) => each.path === path),
    certify: (other: string) => {
      certified = other
    },
    /** The task of a renewal that a client asks for, once it has ended. */
    async renew() {
      const renew = `${enrollmentUri}/Actions/Oem/Vendor/VendorCertificateEnrollment.Renew`
      const { headers } = await fixture.ask('POST', renew, {})
      while (enrollment().task !== '') await setImmediate()
      return (await fixture.ask('GET', headers.location!)).json
    }
  }
}

t.test('the service serves with the certificate that comes, and keeps its account for the next one', async (t) => {
  const { fixture, enrollment, shown, to, renew } = await open(t)
  const lines = t.capture(fixture.service.store.log, 'info', () => {})
  t.match(await renew(), { TaskState: 'Completed', TaskStatus: 'OK' })
  t.match(enrollment(), { state: 'Success', failures: 0, failure: '', triedAt: fixture.now() })
  t.match(
    lines().map(({ args }) => args),
    [['the certificate was renewed', { names: [name] }]]
  )
  const first = await shown()
  t.match([first.Issuer, first.Subject], [{ CommonName: 'Issuer' }, { CommonName: name }])
  const { text } = await fixture.ask('GET', '/redfish/v1/Managers/1/LogServices/EventLog/Entries/')
  t.match(text, /\.ServerCertificateReplaced"/)
  t.match(await renew(), { TaskState: 'Completed' })
  t.not((await shown()).SerialNumber, first.SerialNumber)
  const [one, two] = to('/account').map(({ header }) => header?.jwk)
  t.same(two, one)
})

t.test('a certificate for other names is not installed, and the task and an event say so', async (t) => {
  const { fixture, enrollment, shown, certify, renew } = await open(t)
  const before = await shown()
  certify('bmc-2')
  const failure = 'the certificate is for other names'
  const failed = await renew()
  t.match(failed, { TaskState: 'Exception', Messages: [{}, { MessageArgs: [failure] }] })
  t.match(failed.Messages[1].MessageId, /\.CertificateNotRenewed$/)
  t.match(enrollment(), { state: 'Failed', failures: 1, failure })
  t.equal((await shown()).SerialNumber, before.SerialNumber)
  const { text } = await fixture.ask('GET', '/redfish/v1/Managers/1/LogServices/EventLog/Entries/')
  t.match(text, /\.CertificateNotRenewed"/)
  certify(name)
  t.match(await renew(), { TaskState: 'Completed' })
  t.match(enrollment(), { state: 'Success', failures: 0, failure: '' })
})

t.test('a certificate that is issued close to its end is renewed only after a pause', async (t) => {
  const { fixture, enrollment, to } = await open(t, { retryAfter: 300, retryMost: 1000 })
  fixture.setClock(8 * 86_400)
  const settled = async (failures: number) => {
    while (enrollment().failures < failures) await setImmediate()
    await fixture.service.tend()
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    t.match(enrollment(), { state: 'Success', failures, failure: '' })
    t.equal(to('/order').length, failures)
  }
  await fixture.ask('PATCH', enrollmentUri, { Enabled: true })
  await settled(1)
  fixture.sleep(301)
  await fixture.service.tend()
  await settled(2)
})
