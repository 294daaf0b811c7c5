import { SyslogReceiver } from '#test/runtime/service/events/syslog-receiver.ts'
import { makeSigner } from './certificates.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { start } from './server.ts'

const subscriptions = '/redfish/v1/EventService/Subscriptions/'
const test = '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/'
const trust =
  '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication/Actions/VendorCertAuth.ImportCACertificate'

onBothHosts(async (t, host) => {
  const { certificate: cert, key } = makeSigner(t, {
    subject: '/CN=receiver',
    extensions: ['subjectAltName=IP:127.0.0.1']
  })
  const identity = { key, cert }

  t.test('a client has events and the log sent to a receiver of syslog', async (t) => {
    const server = await start(t, host)
    const receiver = await SyslogReceiver.open(t, identity)
    const SyslogFilters = [{ LogFacilities: ['Local0', 'Daemon'], LowestSeverity: 'Informational' }]
    const body = { Destination: receiver.uri, Protocol: 'SyslogTLS', SubscriptionType: 'Syslog', SyslogFilters }
    const answer = await server.post(subscriptions, body)
    t.same([answer.status, messagesOf(answer)], [201, ['Base.Created()']])
    const uri = String(answer.headers.location)
    t.match((await server.get(uri)).json, { ...body, Oem: { Vendor: { RequestedMaxEventsToQueue: 100 } } })
    await server.post(test, { MessageId: 'ResourceEvent.1.0.TestMessage', EventId: 'f\u00fcnf' })
    const { priority, json, host: name } = await receiver.next('TestMessage')
    t.match({ priority, id: json.EventId, name }, { priority: 16 * 8 + 6, id: 'f\u00fcnf', name: /^mc-sim2510a7k/ })
    t.equal(receiver.connections, 1)
    await server.until(
      () => server.get(uri),
      ({ json }) => json.Oem.Vendor.QueuedEvents === 0
    )
    receiver.cut()
    while (receiver.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
    await server.post(test, { MessageId: 'ResourceEvent.1.0.TestMessage', EventId: 'again' })
    t.equal((await receiver.next('TestMessage')).json.EventId, 'again', 'over a connection made anew')
    t.equal((await server.delete(uri)).status, 200)
  })

  t.test('a receiver with an untrusted certificate is sent nothing', async (t) => {
    const server = await start(t, host)
    const receiver = await SyslogReceiver.open(t, identity)
    const body = { Destination: receiver.uri, Protocol: 'SyslogTLS', VerifyCertificate: true }
    const Oem = { Vendor: { DeliveryRetryIntervalInSeconds: 1, DeliveryRetryAttempts: 10 } }
    const uri = String((await server.post(subscriptions, { ...body, Oem })).headers.location)
    await server.post(test, { MessageId: 'ResourceEvent.1.0.TestMessage', EventId: '1' })
    const failed = await server.until(
      () => server.get(uri),
      ({ json }) => json.Oem.Vendor.LastFailure !== null
    )
    t.match(failed.json, { Status: { Health: 'Warning' }, Oem: { Vendor: { LastFailure: /self.signed/i } } })
    t.equal(receiver.received.length, 0)
    const trusted = await server.post(trust, { Action: 'VendorCertAuth.ImportCACertificate', Certificate: cert })
    t.equal(trusted.status, 200, trusted.text)
    await receiver.next('TestMessage')
  })

  t.test('a subscription whose members do not fit its protocol is 400', async (t) => {
    const server = await start(t, host)
    const good = { Destination: 'syslog://192.0.2.1', Protocol: 'SyslogTLS' }
    const refused = [
      [
        { ...good, Destination: 'https://192.0.2.1/' },
        'Base.PropertyValueFormatError(https://192.0.2.1/, Destination)'
      ],
      [{ Destination: good.Destination }, 'Base.PropertyValueFormatError(syslog://192.0.2.1, Destination)'],
      [{ ...good, SubscriptionType: 'RedfishEvent' }, 'Base.PropertyValueConflict(SubscriptionType, Protocol)'],
      [{ ...good, EventFormatType: 'MetricReport' }, 'Base.PropertyValueConflict(EventFormatType, Protocol)'],
      [{ ...good, HttpHeaders: [] }, 'Base.PropertyValueConflict(HttpHeaders, Protocol)'],
      [{ Destination: 'https://192.0.2.1/', SyslogFilters: [] }, 'Base.PropertyValueConflict(SyslogFilters, Protocol)']
    ] as const
    for (const [body, expected] of refused) {
      const answer = await server.post(subscriptions, body)
      t.same([answer.status, messagesOf(answer)], [400, [expected]])
    }
  })
})
