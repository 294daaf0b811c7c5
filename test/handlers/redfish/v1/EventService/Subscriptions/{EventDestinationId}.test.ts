import t from 'tap'
import { eventPrefixes, type Subscription } from '#data/events'
import {
  DELETE,
  GET as get,
  methods,
  PATCH,
  privileges,
  schema
} from '#handlers/redfish/v1/EventService/Subscriptions/{EventDestinationId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const params = { EventDestinationId: 'a' }
const subscription: Subscription = {
  destination: 'https://192.0.2.1/events',
  context: 'rack 7',
  format: 'Event',
  prefixes: ['ResourceEvent'],
  headers: 'sealed {"authorization":"Bearer 4711"}',
  metricReportDefinitions: ['/redfish/v1/TelemetryService/MetricReportDefinitions/CPUUtil'],
  verifyCertificate: true,
  mutualAuthentication: false,
  retryAttempts: 3,
  retryInterval: 30,
  mostQueued: 3,
  retireAfter: 10
}
const tables = { subscription: { a: subscription } }

t.test('a subscription is shown without its headers', async (t) => {
  const shown = GET(context({ params, tables }))
  t.match(shown, {
    Destination: 'https://192.0.2.1/events',
    Context: 'rack 7',
    EventFormatType: 'Event',
    MetricReportDefinitions: ['/redfish/v1/TelemetryService/MetricReportDefinitions/CPUUtil/'],
    Protocol: 'Redfish',
    RegistryPrefixes: ['ResourceEvent'],
    Status: { State: 'Enabled', Health: 'OK' },
    SubscriptionType: 'RedfishEvent',
    VerifyCertificate: true,
    Oem: {
      Vendor: {
        DeliveryRetryAttempts: 3,
        DeliveryRetryIntervalInSeconds: 30,
        MutualAuthenticationEnabled: false,
        RequestedMaxEventsToQueue: 3,
        RetireOldEventInMinutes: 10,
        DeliveredEvents: 0,
        LastDeliveryTime: null,
        LastFailure: null,
        LastFailureTime: null,
        QueuedEvents: 0
      }
    }
  })
  t.same(shown.HttpHeaders, [])
  t.notOk(JSON.stringify(shown).includes('4711'))
})

t.test('it shows the state of its delivery', async (t) => {
  const at = '2025-06-01T12:00:00.000Z'
  const delivery = { delivered: 5, queueFull: 1, retired: 2, attemptsSpent: 3, queued: 4, deliveredAt: at }
  t.match(
    GET(context({ params, tables, deliveryStatus: { ...delivery, failure: 'HTTP status 500', failedAt: at } })).Oem,
    {
      Vendor: {
        DeliveredEvents: 5,
        DroppedEvents: { QueueFull: 1, Retired: 2, AttemptsSpent: 3 },
        QueuedEvents: 4,
        LastDeliveryTime: at,
        LastFailure: 'HTTP status 500',
        LastFailureTime: at
      }
    }
  )
  const status = (given: object) => GET(context({ params, tables, ...given })).Status
  t.match(status({ deliveryStatus: { trouble: 'failing' } }), { State: 'Enabled', Health: 'Warning' })
  t.match(status({ deliveryStatus: { trouble: 'unreachable' } }), { State: 'UnavailableOffline', Health: 'Critical' })
  const off = { ...tables, eventService: { settings: { enabled: false } } }
  t.match(status({ tables: off }), { State: 'Disabled' })
})

t.test('it shows its filters and its retry policy', async (t) => {
  const filter = {
    name: 'Lamps',
    retryPolicy: 'SuspendRetries',
    suspended: true,
    eventTypes: ['Alert'],
    excludedMessageIds: ['ResourceEvent.ResourceChanged'],
    origins: ['/redfish/v1/Chassis/1'],
    resourceTypes: ['Chassis'],
    severities: ['Critical'],
    subordinates: true
  } as const
  t.match(GET(context({ params, uri: '/s/a', tables: { subscription: { a: { ...subscription, ...filter } } } })), {
    Name: 'Lamps',
    DeliveryRetryPolicy: 'SuspendRetries',
    EventTypes: ['Alert'],
    ExcludeMessageIds: ['ResourceEvent.ResourceChanged'],
    ExcludeRegistryPrefixes: [],
    MessageIds: [],
    OriginResources: [{ '@odata.id': '/redfish/v1/Chassis/1/' }],
    ResourceTypes: ['Chassis'],
    Severities: ['Critical'],
    Status: { State: 'Disabled' },
    SubordinateResources: true,
    Actions: { '#EventDestination.ResumeSubscription': {} }
  })
  t.match(GET(context({ params, tables })), { DeliveryRetryPolicy: 'RetryForever', EventTypes: undefined })
})

t.test('a stream is a destination that can be ended, and no more', async (t) => {
  const streams = () => new Map([['SSE7', { context: 'SSE7', destination: 'redfish-sse://192.0.2.1:4711' }]])
  const params = { EventDestinationId: 'SSE7' }
  t.match(GET(context({ params, streams })), {
    Context: 'SSE7',
    Destination: 'redfish-sse://192.0.2.1:4711',
    Protocol: 'Redfish',
    SubscriptionType: 'SSE'
  })
  t.match(await DELETE(context({ params, streams })), { commands: [{ kind: 'endStream', stream: 'SSE7' }] })
  t.same(
    [methods(params), methods({ EventDestinationId: 'a' })],
    [
      ['GET', 'DELETE'],
      ['GET', 'PATCH', 'DELETE']
    ]
  )
  t.same(await refusal(() => GET(context({ params }))), missing)
  t.same(await refusal(() => DELETE(context({ params }))), missing)
})

t.test('a PATCH changes the properties that it names', async (t) => {
  const changed = async (body: Parameters<typeof PATCH>[0]['body']) => {
    const { writes } = await PATCH(context({ params, tables, body }))
    const changes = Object.entries(writes?.subscription?.a ?? {})
    return Object.fromEntries(changes.filter(([, value]) => value !== undefined))
  }
  t.same(await changed({ Context: 'other' }), { context: 'other' })
  t.same(await changed({ Context: null }), { context: '' })
  t.same(await changed({ DeliveryRetryPolicy: 'SuspendRetries' }), { retryPolicy: 'SuspendRetries' })
  t.same(await changed({ DeliveryRetryPolicy: null }), { retryPolicy: 'RetryForever' })
  t.same(await changed({ HttpHeaders: [{ 'X-A': 'b' }] }), { headers: 'sealed {"x-a":"b"}' })
  t.same(await changed({ VerifyCertificate: false }), { verifyCertificate: false })
  t.same(await changed({ Oem: { Vendor: { RetireOldEventInMinutes: 1 } } }), { retireAfter: 1 })
  // As the check of a PATCH leaves them: what a client keeps and removes.
  const kept = [{}, 'MgmtEvents'] as unknown as 'MgmtEvents'[]
  t.same(await changed({ RegistryPrefixes: kept }), { prefixes: ['ResourceEvent', 'MgmtEvents'] })
  const removed = [null] as unknown as 'MgmtEvents'[]
  t.same(await changed({ RegistryPrefixes: removed }), { prefixes: [...eventPrefixes] }, 'none are all')
})

t.test('deleting a subscription deletes its progress', async (t) => {
  const { status, writes } = await DELETE(context({ params, tables }))
  t.equal(status, 200)
  t.same(writes, { subscription: { a: null }, delivery: { a: null } })
})

t.test('an unknown id is 404', async (t) => {
  for (const ask of [
    () => GET(context({ params })),
    () => PATCH(context({ params, body: { Context: '' } })),
    () => DELETE(context({ params }))
  ])
    t.same(await refusal(ask), missing)
})

t.test('reading takes LoginPriv, changing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' })
})
