import { accepts, answers, deadPort, Subscriber } from '#test/runtime/service/events/subscriber.ts'
import { makeSigner } from './certificates.ts'
import { onEveryHost } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { type Json, type Server, start } from './server.ts'

const service = '/redfish/v1/EventService/'
const subscriptions = `${service}Subscriptions/`
const test = `${service}Actions/EventService.SubmitTestEvent/`
const lamp = '/redfish/v1/Chassis/1/'

const blink = (server: Server, LocationIndicatorActive: boolean) => server.patch(lamp, { LocationIndicatorActive })
const submit = (server: Server, EventId: string, MessageId = 'ResourceEvent.1.0.TestMessage') =>
  server.post(test, { MessageId, EventId })
const counters = async (server: Server, uri: string): Promise<Json> => (await server.get(uri)).json.Oem.Vendor
const names = (events: readonly Json[]) => events.map(({ EventId }) => EventId)

onEveryHost(async (t, host) => {
  const { certificate: cert, key } = makeSigner(t, {
    subject: '/CN=subscriber',
    extensions: ['subjectAltName=IP:127.0.0.1']
  })
  const identity = { key, cert }

  /** Subscribes with a queue as long as may be, and gives the subscription's URI. */
  async function subscribe(server: Server, Destination: string, more: Json = {}): Promise<string> {
    const Oem = { Vendor: { RequestedMaxEventsToQueue: 100, DeliveryRetryIntervalInSeconds: 1, ...more.Oem?.Vendor } }
    const { status, text, headers } = await server.post(subscriptions, { Destination, ...more, Oem })
    if (status !== 201) throw new Error(text)
    return String(headers.location)
  }

  t.test('a client subscribes, and receives events', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    const headers = [{ Authorization: 'Bearer 4711' }, { 'X-Site': 'south' }]
    const answer = await server.post(subscriptions, {
      Destination: subscriber.uri,
      Context: 'rack 7',
      HttpHeaders: headers
    })
    t.same([answer.status, messagesOf(answer)], [201, ['Base.Created()']])
    const uri = String(answer.headers.location)
    t.match((await server.get(subscriptions)).json.Members, [{ '@odata.id': uri }])
    const { json } = await server.get(uri)
    t.match(json, {
      '@odata.type': '#EventDestination.v1_15_0.EventDestination',
      Destination: subscriber.uri,
      Context: 'rack 7',
      EventFormatType: 'Event',
      Protocol: 'Redfish',
      SubscriptionType: 'RedfishEvent',
      VerifyCertificate: false,
      RegistryPrefixes: [
        'NetworkDevice',
        'StorageDevice',
        'ResourceEvent',
        'MgmtEvents',
        'MgmtResourceEvents',
        'Telemetry'
      ],
      Status: { State: 'Enabled', Health: 'OK' },
      Oem: {
        Vendor: {
          DeliveryRetryAttempts: 3,
          DeliveryRetryIntervalInSeconds: 30,
          MutualAuthenticationEnabled: false,
          RequestedMaxEventsToQueue: 3,
          RetireOldEventInMinutes: 10
        }
      }
    })
    t.same([json.HttpHeaders, json.MetricReportDefinitions], [[], []])
    t.equal((await blink(server, true)).status, 200)
    const seen: Json[] = []
    while (!seen.some((each) => each.MessageId.endsWith('ResourceChanged'))) {
      const { headers, json } = await subscriber.next()
      t.match(headers, {
        authorization: 'Bearer 4711',
        'x-site': 'south',
        'content-type': 'application/json;charset=utf-8'
      })
      t.equal(json.Context, 'rack 7')
      seen.push(...json.Events)
    }
    t.match(
      seen.find((each) => each.MessageId.endsWith('ResourceChanged')),
      { EventType: 'ResourceUpdated', OriginOfCondition: { '@odata.id': lamp } }
    )
    await server.until(
      () => server.get(uri),
      ({ json }) => json.Oem.Vendor.DeliveredEvents >= seen.length
    )
    t.equal((await server.delete(uri)).status, 200)
    t.equal((await server.get(uri)).status, 404)
  })

  t.test('a test event is sent to subscribers of its registry, with its own text', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    await subscribe(server, `${subscriber.uri}/no`, { RegistryPrefixes: ['MgmtEvents'] })
    await subscribe(server, `${subscriber.uri}/yes`, { RegistryPrefixes: ['NetworkDevice'] })
    const answer = await server.post(test, {
      EventID: 'mine',
      EventTimestamp: '2025-06-01T12:00:00Z',
      EventGroupId: 7,
      EventType: 'ResourceUpdated',
      MessageSeverity: 'Critical',
      Message: 'It burns.',
      MessageId: 'NetworkDevice.1.0.Fire',
      MessageArgs: ['1', '2'],
      OriginOfCondition: { '@odata.id': '/redfish/v1/Systems/1/' }
    })
    t.same([answer.status, messagesOf(answer)], [200, ['Base.Success()']])
    const { path, json } = await subscriber.next()
    t.equal(path, '/events/yes')
    t.match(json.Events, [
      {
        EventId: 'mine',
        EventTimestamp: '2025-06-01T12:00:00Z',
        EventGroupId: 7,
        EventType: 'ResourceUpdated',
        Severity: 'Critical',
        MessageSeverity: 'Critical',
        Message: 'It burns.',
        MessageId: 'NetworkDevice.1.0.Fire',
        MessageArgs: ['1', '2'],
        OriginOfCondition: { '@odata.id': '/redfish/v1/Systems/1/' }
      }
    ])
    await submit(server, 'told to the other', 'MgmtEvents.1.0.ControllerStarted')
    const other = await subscriber.next()
    t.match([other.path, other.json.Events[0].Message], ['/events/no', 'The management controller started.'])
  })

  t.test('the type of notifications is published like those of resources', async (t) => {
    const server = await start(t, host)
    const schema = await server.get('/redfish/v1/SchemaStore/en/Event.v1_7_0.json')
    t.equal(schema.status, 200)
    t.ok('EventId' in schema.json.definitions.Event.properties.Events.items.properties)
  })

  t.test('a delivery that fails is tried again, and its state is seen', async (t) => {
    const server = await start(t, host, { configuration: { events: { pause: 0.05 } } })
    const subscriber = await Subscriber.open(t, identity)
    subscriber.behaviour = answers(500)
    const uri = await subscribe(server, subscriber.uri, { Oem: { Vendor: { DeliveryRetryAttempts: 1 } } })
    await submit(server, 'a')
    const first = await subscriber.next()
    await server.until(
      () => server.get(uri),
      ({ json }) => json.Status.Health === 'Warning' && json.Oem.Vendor.QueuedEvents === 1
    )
    t.same((await subscriber.next()).json, first.json)
    const { json } = await server.until(
      () => server.get(uri),
      ({ json }) => json.Oem.Vendor.DroppedEvents.AttemptsSpent === 1
    )
    t.match(json, {
      Status: { State: 'UnavailableOffline', Health: 'Critical' },
      Oem: {
        Vendor: { DeliveredEvents: 0, QueuedEvents: 0, LastFailure: 'HTTP status 500', LastFailureTime: /^\d{4}-/ }
      }
    })
    subscriber.behaviour = accepts
    await submit(server, 'b')
    await server.until(
      () => server.get(uri),
      ({ json }) => json.Status.Health === 'OK' && json.Oem.Vendor.DeliveredEvents === 1
    )
  })

  t.test('a dead subscriber does not delay others', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    const dead = await subscribe(server, `https://127.0.0.1:${await deadPort()}/`, {
      RegistryPrefixes: ['StorageDevice'],
      Oem: { Vendor: { RequestedMaxEventsToQueue: 2, DeliveryRetryIntervalInSeconds: 600 } }
    })
    await subscribe(server, subscriber.uri, { RegistryPrefixes: ['StorageDevice'] })
    const sent = Array.from({ length: 10 }, (_, index) => `event ${index}`)
    for (const each of sent) t.equal((await submit(server, each, 'StorageDevice.1.0.Test')).status, 200)
    t.same(names(await subscriber.nextEvents(10)), sent)
    t.match(await counters(server, dead), { QueuedEvents: 2, DroppedEvents: { QueueFull: 8 }, LastFailure: /REFUSED/i })
  })

  t.test('subscriptions and their queues outlive a restart', async (t) => {
    const first = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    subscriber.behaviour = answers(500)
    const uri = await subscribe(first, subscriber.uri, {
      Context: 'rack 7',
      HttpHeaders: { Authorization: 'Bearer 4711' },
      RegistryPrefixes: ['StorageDevice'],
      Oem: { Vendor: { DeliveryRetryIntervalInSeconds: 600 } }
    })
    for (const each of ['a', 'b', 'c']) await submit(first, each, 'StorageDevice.1.0.Test')
    const before = await subscriber.next()
    t.equal(await first.stop(), 0)
    subscriber.behaviour = accepts
    const second = await start(t, host, { data: first.data })
    const { json, headers } = await subscriber.next()
    t.same(names(json.Events), ['a', 'b', 'c'])
    t.equal(json.Events[0].MemberId, before.json.Events[0].MemberId)
    t.match([json.Context, headers.authorization], ['rack 7', 'Bearer 4711'])
    await submit(second, 'd', 'StorageDevice.1.0.Test')
    const [last] = await subscriber.nextEvents(1)
    t.ok(BigInt(last.MemberId) > BigInt(json.Events.at(-1).MemberId), 'ids go on')
    t.match(await counters(second, uri), { QueuedEvents: Number })
  })

  t.test('events accepted before a kill of the service arrive, and repeated ones keep their id', async (t) => {
    const first = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    await subscribe(first, subscriber.uri, { RegistryPrefixes: ['StorageDevice'] })
    const accepted: string[] = []
    const told = (async () => {
      for (let count = 0; count < 40; count += 1) {
        const answer = await submit(first, `event ${count}`, 'StorageDevice.1.0.Test').catch(() => undefined)
        if (answer?.status !== 200) return
        accepted.push(`event ${count}`)
      }
    })()
    await subscriber.nextEvents(10)
    await first.kill()
    await told
    await start(t, host, { data: first.data })
    const seen = () =>
      new Map(subscriber.received.flatMap(({ json }) => json.Events.map((each: Json) => [each.EventId, each.MemberId])))
    while (!accepted.every((each) => seen().has(each))) await subscriber.next()
    const all = subscriber.received.flatMap(({ json }) => json.Events as Json[])
    for (const { EventId, MemberId } of all) t.equal(MemberId, seen().get(EventId))
    t.equal(new Set(all.map(({ MemberId }) => MemberId)).size, seen().size, 'no id is that of two events')
  })

  t.test('an untrusted certificate is refused if the subscription verifies it', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    const uri = await subscribe(server, subscriber.uri, {
      VerifyCertificate: true,
      Oem: { Vendor: { DeliveryRetryAttempts: 0 } }
    })
    await submit(server, 'a')
    const { json } = await server.until(
      () => server.get(uri),
      ({ json }) => json.Oem.Vendor.DroppedEvents.AttemptsSpent === 1
    )
    t.equal(json.Status.Health, 'Critical')
    t.equal(subscriber.received.length, 0)
    t.equal((await server.patch(uri, { VerifyCertificate: false })).status, 200)
    await submit(server, 'b')
    while (!names(subscriber.received.flatMap(({ json }) => json.Events)).includes('b')) await subscriber.next()
  })

  t.test('the service sends its own certificate if the subscription asks for it', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, { ...identity, requestCert: true, rejectUnauthorized: false })
    await subscribe(server, subscriber.uri, { Oem: { Vendor: { MutualAuthenticationEnabled: true } } })
    await submit(server, 'a')
    t.type((await subscriber.next()).shown, 'string')
  })

  t.test(
    'the certificate that the service made for itself authenticates it with a subscriber who trusts it',
    async (t) => {
      const server = await start(t, host)
      const own = await server.get('/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates/1/')
      const asking = { ...identity, ca: own.json.CertificateString, requestCert: true, rejectUnauthorized: true }
      const subscriber = await Subscriber.open(t, asking)
      await subscribe(server, subscriber.uri, { Oem: { Vendor: { MutualAuthenticationEnabled: true } } })
      await submit(server, 'a')
      while (!names(subscriber.received.flatMap(({ json }) => json.Events)).includes('a')) await subscriber.next()
    }
  )

  t.test('a changed subscription continues with its new settings', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    const uri = await subscribe(server, subscriber.uri, { RegistryPrefixes: ['NetworkDevice'] })
    const changes = {
      Context: 'new',
      HttpHeaders: { 'X-Site': 'north' },
      RegistryPrefixes: ['StorageDevice'],
      VerifyCertificate: false,
      Oem: { Vendor: { DeliveryRetryAttempts: 7 } }
    }
    t.equal((await server.patch(uri, changes)).status, 200)
    const { json } = await server.get(uri)
    t.match(json, {
      Context: 'new',
      RegistryPrefixes: ['StorageDevice'],
      Oem: { Vendor: { DeliveryRetryAttempts: 7 } }
    })
    await submit(server, 'no', 'NetworkDevice.1.0.Test')
    await submit(server, 'yes', 'StorageDevice.1.0.Test')
    const { json: told, headers } = await subscriber.next()
    t.same([told.Context, names(told.Events), headers['x-site']], ['new', ['yes'], 'north'])
  })

  t.test('a subscription filters by all that the standard names, and shows it', async (t) => {
    const server = await start(t, host)
    const announced = (await server.get(service)).json
    t.match(announced, { ExcludeMessageId: true, ExcludeRegistryPrefix: true, SubordinateResourcesSupported: true })
    t.same(announced.Severities, ['OK', 'Warning', 'Critical'])
    for (const type of ['Chassis', 'ComputerSystem', 'Session']) t.ok(announced.ResourceTypes.includes(type), type)
    t.ok(announced.EventTypesForSubscription.includes('Alert'))
    const everything = {
      Name: 'Lamps of a rack',
      DeliveryRetryPolicy: 'RetryForever',
      EventTypes: ['ResourceUpdated', 'Alert'],
      ResourceTypes: ['Chassis', 'ComputerSystem'],
      OriginResources: [{ '@odata.id': '/redfish/v1/Chassis/' }],
      SubordinateResources: true,
      MessageIds: ['ResourceEvent.ResourceChanged', 'MgmtEvents.ServerReset'],
      Severities: ['OK'],
      ExcludeMessageIds: ['MgmtEvents.ServerReset'],
      ExcludeRegistryPrefixes: ['StorageDevice'],
      Protocol: 'Redfish',
      SubscriptionType: 'RedfishEvent'
    }
    const subscriber = await Subscriber.open(t, identity)
    const all = await subscribe(server, `${subscriber.uri}/all`, everything)
    t.match((await server.get(all)).json, { ...everything, RegistryPrefixes: [] })
    const filters = {
      type: { EventTypes: ['ResourceUpdated'] },
      origin: { OriginResources: [{ '@odata.id': '/redfish/v1/Chassis/1' }] },
      resource: { ResourceTypes: ['Chassis'], RegistryPrefixes: ['ResourceEvent'] },
      message: { MessageIds: ['ResourceEvent.1.0.ResourceChanged'], ResourceTypes: ['Chassis'] },
      severity: { Severities: ['Critical'] }
    }
    for (const [name, filter] of Object.entries(filters)) await subscribe(server, `${subscriber.uri}/${name}`, filter)
    const told = (name: string) =>
      subscriber.received.filter(({ path }) => path.endsWith(`/${name}`)).flatMap(({ json }) => json.Events)
    await blink(server, true)
    await submit(server, 'loud', 'StorageDevice.1.0.Test')
    await server.post(test, { MessageId: 'StorageDevice.1.0.Test', EventId: 'last', Severity: 'Critical' })
    for (const name of ['all', 'type', 'origin', 'resource', 'message', 'severity']) {
      while (told(name).length === 0) await subscriber.next()
    }
    t.same(names(told('severity')), ['last'], 'those of other severities came before it, and went by')
    for (const name of ['all', 'resource', 'message']) {
      const [{ MessageId, OriginOfCondition }, ...more] = told(name)
      t.match(MessageId, /^ResourceEvent\..*\.ResourceChanged$/)
      t.same([OriginOfCondition['@odata.id'], more], [lamp, []], name)
    }
    t.ok(told('type').every(({ EventType }) => EventType === 'ResourceUpdated'))
    t.ok(told('origin').every(({ OriginOfCondition }) => OriginOfCondition['@odata.id'] === lamp))
    for (const [body, refused] of [
      [{ ResourceTypes: ['Weather'] }, 'Base.PropertyValueNotInList(Weather, ResourceTypes)'],
      [{ Severities: ['Loud'] }, 'Base.PropertyValueNotInList(Loud, Severities)'],
      [{ DeliveryRetryPolicy: 'Never' }, 'Base.PropertyValueNotInList(Never, DeliveryRetryPolicy)'],
      [{ MessageIds: ['no id'] }, 'Base.PropertyValueFormatError(no id, MessageIds)']
    ] as [Json, string][]) {
      const answer = await server.post(subscriptions, { Destination: subscriber.uri, ...body })
      t.same([answer.status, messagesOf(answer)], [400, [refused]])
    }
  })

  t.test('a subscription without attempts left is suspended and resumed, or ends, as its policy says', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    subscriber.behaviour = answers(500)
    const Oem = { Vendor: { DeliveryRetryAttempts: 0 } }
    const more = { RegistryPrefixes: ['StorageDevice'], Oem }
    const paused = await subscribe(server, subscriber.uri, { ...more, DeliveryRetryPolicy: 'SuspendRetries' })
    const ended = await subscribe(server, subscriber.uri, { ...more, DeliveryRetryPolicy: 'TerminateAfterRetries' })
    await submit(server, 'a', 'StorageDevice.1.0.Test')
    const { json } = await server.until(
      () => server.get(paused),
      ({ json }) => json.Status.State === 'Disabled'
    )
    await server.until(
      () => server.get(ended),
      ({ status }) => status === 404
    )
    subscriber.behaviour = accepts
    const resume = json.Actions['#EventDestination.ResumeSubscription'].target
    t.equal((await server.post(resume, {})).status, 200)
    await submit(server, 'b', 'StorageDevice.1.0.Test')
    while (!names(subscriber.received.flatMap(({ json }) => json.Events)).includes('b')) await subscriber.next()
    t.equal((await server.get(paused)).json.Status.State, 'Enabled')
  })

  t.test('while the event service is disabled no events are sent', async (t) => {
    const server = await start(t, host)
    const subscriber = await Subscriber.open(t, identity)
    await subscribe(server, subscriber.uri, { RegistryPrefixes: ['StorageDevice'] })
    t.equal((await server.patch(service, { ServiceEnabled: false })).status, 200)
    t.match((await server.get(service)).json, { ServiceEnabled: false, Status: { State: 'Disabled' } })
    await submit(server, 'no', 'StorageDevice.1.0.Test')
    t.equal((await server.patch(service, { ServiceEnabled: true })).status, 200)
    await submit(server, 'yes', 'StorageDevice.1.0.Test')
    t.same(names(await subscriber.nextEvents(1)), ['yes'])
  })

  t.test('a subscription that makes no sense is refused, and all that is wrong with it is named', async (t) => {
    const server = await start(t, host)
    const good = { Destination: 'https://192.0.2.1/' }
    const secret = 'hunter2'
    for (const [body, ...refusals] of [
      [{}, 'Base.PropertyMissing(Destination)'],
      [{ Destination: 'http://192.0.2.1/' }, 'Base.PropertyValueFormatError(http://192.0.2.1/, Destination)'],
      [{ Destination: 'https:///path' }, 'Base.PropertyValueFormatError(https:///path, Destination)'],
      [{ Destination: 'https://a b/' }, 'Base.PropertyValueFormatError(https://a b/, Destination)'],
      [{ Destination: 'https://a:99999/' }, 'Base.PropertyValueFormatError(https://a:99999/, Destination)'],
      [{ Destination: `https://me:${secret}@a/` }, 'Base.PropertyValueFormatError(******, Destination)'],
      [{ Destination: 5 }, 'Base.PropertyValueTypeError(5, Destination)'],
      [
        { ...good, HttpHeaders: { 'X-A': `${secret}\r\nX-B: 1` } },
        'Base.PropertyValueFormatError(******, HttpHeaders)'
      ],
      [{ ...good, HttpHeaders: { 'X A': '1' } }, 'Base.PropertyValueFormatError(******, HttpHeaders)'],
      [{ ...good, HttpHeaders: { Host: 'a' } }, 'Base.PropertyValueFormatError(******, HttpHeaders)'],
      [{ ...good, HttpHeaders: [{ 'Content-Length': '1' }] }, 'Base.PropertyValueFormatError(******, HttpHeaders)'],
      [{ ...good, HttpHeaders: { 'X-A': 'x'.repeat(5000) } }, 'Base.PropertyValueFormatError(******, HttpHeaders)'],
      [{ ...good, HttpHeaders: 'X-A: 1' }, 'Base.PropertyValueTypeError(******, HttpHeaders)'],
      [{ ...good, RegistryPrefixes: ['Weather'] }, 'Base.PropertyValueNotInList(Weather, RegistryPrefixes)'],
      [{ ...good, Protocol: 'SMTP' }, 'Base.PropertyValueNotInList(SMTP, Protocol)'],
      [{ ...good, SubscriptionType: 'SSE' }, 'Base.PropertyValueNotInList(SSE, SubscriptionType)'],
      [{ ...good, EventFormatType: 'Mail' }, 'Base.PropertyValueNotInList(Mail, EventFormatType)'],
      [{ ...good, MetricReportDefinitions: ['/x'] }, 'Base.PropertyValueFormatError(/x, MetricReportDefinitions)'],
      [
        { ...good, Oem: { Vendor: { DeliveryRetryAttempts: 11, DeliveryRetryIntervalInSeconds: 0 } } },
        'Base.PropertyValueOutOfRange(11, DeliveryRetryAttempts)',
        'Base.PropertyValueOutOfRange(0, DeliveryRetryIntervalInSeconds)'
      ],
      [
        { ...good, Oem: { Vendor: { RequestedMaxEventsToQueue: 101, RetireOldEventInMinutes: 1441 } } },
        'Base.PropertyValueOutOfRange(101, RequestedMaxEventsToQueue)',
        'Base.PropertyValueOutOfRange(1441, RetireOldEventInMinutes)'
      ]
    ] as [Json, ...string[]][]) {
      const answer = await server.post(subscriptions, body)
      t.same([answer.status, messagesOf(answer)], [400, refusals], JSON.stringify(body))
      t.notOk(answer.text.includes(secret))
    }
    t.same((await server.get(subscriptions)).json.Members, [])
  })

  t.test('there are at most 20 subscriptions', async (t) => {
    const server = await start(t, host)
    const body = { Destination: 'https://192.0.2.1/', RegistryPrefixes: ['StorageDevice'] }
    for (let count = 0; count < 20; count += 1) t.equal((await server.post(subscriptions, body)).status, 201)
    const refused = await server.post(subscriptions, body)
    t.same([refused.status, messagesOf(refused)], [409, ['Base.EventSubscriptionLimitExceeded()']])
    t.equal(refused.headers.location, undefined)
  })

  t.test('a test event that makes no sense is refused', async (t) => {
    const server = await start(t, host)
    const action = 'EventService.SubmitTestEvent'
    for (const [body, refusal] of [
      [{}, `Base.ActionParameterMissing(${action}, MessageId)`],
      [{ MessageId: 'Weather' }, `Base.ActionParameterValueFormatError(Weather, MessageId, ${action})`],
      [{ MessageId: 'A.1.0.B', Colour: 1 }, `Base.ActionParameterUnknown(${action}, Colour)`],
      [{ MessageId: 'A.1.0.B', Severity: 'Bad' }, `Base.ActionParameterValueNotInList(Bad, Severity, ${action})`],
      [
        { MessageId: 'A.1.0.B', EventTimestamp: 'now' },
        `Base.ActionParameterValueFormatError(now, EventTimestamp, ${action})`
      ],
      [{ MessageId: 'A.1.0.B', MessageArgs: 'a' }, `Base.ActionParameterValueTypeError(a, MessageArgs, ${action})`],
      [{ MessageId: 'A.1.0.B', EventId: 'a', EventID: 'b' }, `Base.ActionParameterDuplicate(${action}, EventID)`]
    ] as [Json, string][]) {
      const answer = await server.post(test, body)
      t.same([answer.status, messagesOf(answer)], [400, [refusal]], JSON.stringify(body))
    }
  })
})
