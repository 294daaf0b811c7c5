import t from 'tap'
import { type EventFilter, eventPrefixes, type Subscription, wantsEvent, wantsReport } from '#data/events'

const none = { context: '', destination: 'https://a/', headers: '', metricReportDefinitions: [] }
const rest = { verifyCertificate: false, mutualAuthentication: false }
const times = { retryAttempts: 3, retryInterval: 30, mostQueued: 3, retireAfter: 10 }
const all: Subscription = { ...none, ...rest, ...times, format: 'Event', prefixes: eventPrefixes }

const types: Readonly<Record<string, string>> = { '/redfish/v1/Chassis/1': 'Chassis' }
const changed = {
  messageId: 'ResourceEvent.1.3.ResourceChanged',
  severity: 'OK',
  origin: '/redfish/v1/Chassis/1'
} as const
const wants = (filter: Partial<EventFilter>, more = {}) =>
  wantsEvent({ ...all, ...filter }, { ...changed, ...more }, (uri) => types[uri])

t.test('a subscription without filters wants every event', async (t) => {
  t.ok(wants({}))
  t.ok(wants({}, { messageId: 'MgmtEvents.1.0.LogCleared', origin: '' }))
  t.ok(wants({ messageIds: [], eventTypes: [], severities: [], resourceTypes: [], origins: [] }))
})

for (const [what, passing, failing] of [
  ['registry', { prefixes: ['ResourceEvent'] }, { prefixes: ['MgmtEvents'] }],
  [
    'message',
    { prefixes: [], messageIds: ['ResourceEvent.ResourceChanged'] },
    { prefixes: [], messageIds: ['ResourceEvent.ResourceCreated'] }
  ],
  ['excluded registry', { excludedPrefixes: ['MgmtEvents'] }, { excludedPrefixes: ['ResourceEvent'] }],
  [
    'excluded message',
    { excludedMessageIds: ['ResourceEvent.ResourceCreated'] },
    { excludedMessageIds: ['ResourceEvent.ResourceChanged'] }
  ],
  ['kind', { eventTypes: ['ResourceUpdated'] }, { eventTypes: ['Alert', 'StatusChange'] }],
  ['severity', { severities: ['OK'] }, { severities: ['Warning', 'Critical'] }],
  ['type of resource', { resourceTypes: ['Chassis'] }, { resourceTypes: ['ComputerSystem'] }],
  ['origin', { origins: ['/redfish/v1/Chassis/1'] }, { origins: ['/redfish/v1/Chassis', '/redfish/v1/Systems/1'] }]
] as [string, Partial<EventFilter>, Partial<EventFilter>][]) {
  t.test(`it filters by ${what}`, async (t) => {
    t.ok(wants(passing))
    t.notOk(wants(failing))
  })
}

t.test('messages are added to those of the registries, and exclusions win', async (t) => {
  t.ok(wants({ prefixes: ['MgmtEvents'], messageIds: ['ResourceEvent.ResourceChanged'] }))
  t.notOk(wants({ messageIds: ['ResourceEvent.ResourceChanged'], excludedPrefixes: ['ResourceEvent'] }))
})

t.test('resources below an origin match with subordinates', async (t) => {
  const origins = ['/redfish/v1/Chassis']
  t.ok(wants({ origins, subordinates: true }))
  t.notOk(wants({ origins, subordinates: false }))
  t.notOk(wants({ origins: ['/redfish/v1/Cha'], subordinates: true }), 'whole segments only')
  const member = { origin: '/redfish/v1/Chassis/1/Thermal#/Fans/0' }
  t.ok(wants({ origins: ['/redfish/v1/Chassis/1/Thermal'], subordinates: true }, member))
})

t.test('an event about nothing is of no type and below nothing', async (t) => {
  t.notOk(wants({ resourceTypes: ['Chassis'] }, { origin: '' }))
  t.notOk(wants({ origins: ['/redfish/v1/Chassis'], subordinates: true }, { origin: '' }))
})

t.test('the type Other is every kind of event', async (t) => {
  t.ok(wants({ eventTypes: ['Other'] }))
})

t.test('a test event is of the kind that its client names', async (t) => {
  t.ok(wants({ eventTypes: ['Alert'] }, { eventType: 'Alert' }))
  t.notOk(wants({ eventTypes: ['ResourceUpdated'] }, { eventType: 'Alert' }))
})

t.test('a suspended subscription wants nothing', async (t) => {
  t.notOk(wantsEvent({ ...all, suspended: true }, changed, () => undefined))
  t.notOk(wantsReport({ ...all, format: 'MetricReport', suspended: true }, '/d'))
  t.ok(wantsReport({ ...all, format: 'MetricReport' }, '/d'))
})
