import t from 'tap'
import { configuration } from '#data/configuration'
import { GET, POST, privileges } from '#handlers/redfish/v1/EventService/Subscriptions.ts'
import { context, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/EventService/Subscriptions'
const Destination = 'https://192.0.2.1/events'
type Body = Parameters<typeof POST>[0]['body']
const post = (body: Partial<Body>, more = {}) => POST(context({ uri, body: { Destination, ...body }, ...more }))
const stored = async (body: Partial<Body>) => (await post(body)).writes?.subscription?.abababab

t.test('a subscription that names its destination alone gets the defaults', async (t) => {
  const { status, location, writes, messages } = await post({})
  t.same([status, location, messages], [201, `${uri}/abababab`, [{ key: 'Base.Created', args: [] }]])
  t.same(writes, {
    subscription: {
      abababab: {
        destination: Destination,
        context: '',
        format: 'Event',
        headers: '',
        metricReportDefinitions: [],
        prefixes: ['NetworkDevice', 'StorageDevice', 'ResourceEvent', 'MgmtEvents', 'MgmtResourceEvents', 'Telemetry'],
        verifyCertificate: false,
        mutualAuthentication: false,
        retryAttempts: 3,
        retryInterval: 30,
        mostQueued: 3,
        retireAfter: 10
      }
    }
  })
})

t.test("a client's values replace the defaults", async (t) => {
  t.match(
    await stored({
      Context: 'rack 7',
      EventFormatType: 'MetricReport',
      MetricReportDefinitions: ['/redfish/v1/TelemetryService/MetricReportDefinitions/Temperature/'],
      RegistryPrefixes: ['ResourceEvent'],
      VerifyCertificate: true,
      Oem: {
        Vendor: {
          DeliveryRetryAttempts: 0,
          DeliveryRetryIntervalInSeconds: 600,
          MutualAuthenticationEnabled: true,
          RequestedMaxEventsToQueue: 100,
          RetireOldEventInMinutes: 1440
        }
      }
    }),
    {
      context: 'rack 7',
      format: 'MetricReport',
      metricReportDefinitions: ['/redfish/v1/TelemetryService/MetricReportDefinitions/Temperature'],
      prefixes: ['ResourceEvent'],
      verifyCertificate: true,
      mutualAuthentication: true,
      retryAttempts: 0,
      retryInterval: 600,
      mostQueued: 100,
      retireAfter: 1440
    }
  )
  t.equal((await stored({ RegistryPrefixes: [] }))?.prefixes?.length, 6, 'none is all')
})

t.test('the filters of a client are stored, message ids without registry versions', async (t) => {
  const documents = { 'schemas/Chassis.v1_22_0.json': '', 'schemas/ChassisCollection.json': '' }
  const filters = {
    Name: 'Lamps',
    DeliveryRetryPolicy: 'SuspendRetries',
    EventTypes: ['Alert'],
    ExcludeMessageIds: ['ResourceEvent.1.3.ResourceChanged'],
    ExcludeRegistryPrefixes: ['StorageDevice'],
    MessageIds: ['ResourceEvent.1.0.3.ResourceCreated', 'MgmtEvents.LogCleared'],
    OriginResources: [{ '@odata.id': '/redfish/v1/Chassis/1/' }, { '@odata.id': '/redfish/v1/Systems/1' }],
    ResourceTypes: ['Chassis'],
    Severities: ['Critical'],
    SubordinateResources: true,
    SubscriptionType: null
  } as const
  t.match((await post(filters, { documents })).writes?.subscription?.abababab, {
    name: 'Lamps',
    retryPolicy: 'SuspendRetries',
    eventTypes: ['Alert'],
    excludedMessageIds: ['ResourceEvent.ResourceChanged'],
    excludedPrefixes: ['StorageDevice'],
    messageIds: ['ResourceEvent.ResourceCreated', 'MgmtEvents.LogCleared'],
    origins: ['/redfish/v1/Chassis/1', '/redfish/v1/Systems/1'],
    resourceTypes: ['Chassis'],
    severities: ['Critical'],
    subordinates: true
  })
  t.same((await stored({ MessageIds: ['MgmtEvents.LogCleared'] }))?.prefixes, [], 'nothing but the messages named')
  t.equal((await stored({ EventTypes: ['MetricReport'] }))?.format, 'MetricReport')
  t.equal((await stored({ EventTypes: ['MetricReport', 'Alert'] }))?.format, 'Event')
  for (const type of ['Weather', 'ChassisCollection', 'Chassis.v1_22_0.Chassis']) {
    t.same(await refusal(() => post({ ResourceTypes: [type] }, { documents })), {
      status: 400,
      messages: [['Base.PropertyValueNotInList', type, 'ResourceTypes']]
    })
  }
})

t.test('headers are sealed, as an object or as several', async (t) => {
  const sealed = 'sealed {"authorization":"Bearer 4711","x-site":"south"}'
  t.equal((await stored({ HttpHeaders: { Authorization: 'Bearer 4711', 'X-Site': 'south' } }))?.headers, sealed)
  t.equal((await stored({ HttpHeaders: [{ Authorization: 'Bearer 4711' }, { 'X-Site': 'south' }] }))?.headers, sealed)
  t.equal((await stored({ HttpHeaders: [] }))?.headers, '')
})

t.test('headers that break a request, or are for the connection to say, are refused and not repeated', async (t) => {
  const refused = { status: 400, messages: [['Base.PropertyValueFormatError', '******', 'HttpHeaders']] }
  for (const HttpHeaders of [
    { 'X-A': 'b\r\nX-C: d' },
    { 'X-A': 'b\nc' },
    { 'X-A\r\nB': 'c' },
    { 'X A': 'b' },
    { '': 'b' },
    { 'X-A': 5 },
    { 'X-A': 'b\u2028' },
    { HOST: 'a' },
    { 'content-length': '5' },
    { 'Transfer-Encoding': 'chunked' },
    { Connection: 'close' },
    { 'X-A': 'b'.repeat(4096) },
    ['X-A: b'],
    [[]],
    [null]
  ]) {
    t.same(await refusal(() => post({ HttpHeaders })), refused)
  }
})

t.test('a destination is an https URI, and a password in one is not repeated', async (t) => {
  const refused = (shown: string) => ({
    status: 400,
    messages: [['Base.PropertyValueFormatError', shown, 'Destination']]
  })
  for (const bad of [
    '',
    'events',
    'http://192.0.2.1/',
    'https:192.0.2.1',
    'https://',
    'https:///events',
    'https://a:0/',
    'https://a:65536/',
    'https://a:b/',
    'https://a/#b',
    'https://[::1/',
    'https://-/',
    'https://a..b/',
    'https://a-.example/',
    'https://999.1.1.1/',
    'https://1.2.3/',
    'https://a b/'
  ]) {
    t.same(await refusal(() => post({ Destination: bad })), refused(bad))
  }
  t.same(await refusal(() => post({ Destination: 'https://ann:secret@a/' })), refused('******'))
  for (const good of [
    'https://a',
    'https://[::1]:8443/',
    'HTTPS://events.example/a?b=c',
    'https://10.0.0.1:443/x',
    'https://a-b_c.1st/'
  ]) {
    t.equal((await post({ Destination: good })).status, 201, good)
  }
})

const receiver = { Destination: 'syslog://192.0.2.1:6514', Protocol: 'SyslogTLS' } as const

t.test('a receiver of syslog has its filters, and a queue for lines of the log', async (t) => {
  const { mostLinesQueued } = configuration.events
  t.match(await stored(receiver), { syslog: [], format: 'Event', mostQueued: mostLinesQueued })
  const SyslogFilters = [{ LogFacilities: ['Daemon'], LowestSeverity: 'Error' }] as const
  t.match(await stored({ ...receiver, SubscriptionType: 'Syslog', SyslogFilters }), { syslog: SyslogFilters })
  t.equal((await stored({ SubscriptionType: 'RedfishEvent' }))?.syslog, undefined)
})

t.test('properties that contradict the protocol are refused', async (t) => {
  for (const [body, property] of [
    [{ ...receiver, SubscriptionType: 'RedfishEvent' }, 'SubscriptionType'],
    [{ SubscriptionType: 'Syslog' }, 'SubscriptionType'],
    [{ SyslogFilters: [] }, 'SyslogFilters'],
    [{ ...receiver, EventFormatType: 'MetricReport' }, 'EventFormatType'],
    [{ ...receiver, HttpHeaders: { 'X-A': 'b' } }, 'HttpHeaders']
  ] as const) {
    t.same(await refusal(() => post(body)), {
      status: 400,
      messages: [['Base.PropertyValueConflict', property, 'Protocol']]
    })
  }
  t.match(await refusal(() => post({ ...receiver, Destination })), {
    status: 400,
    messages: [['Base.PropertyValueFormatError', Destination, 'Destination']]
  })
})

t.test('a report definition that is not there is refused', async (t) => {
  const MetricReportDefinitions = ['/redfish/v1/TelemetryService/MetricReportDefinitions/Weather']
  t.same(await refusal(() => post({ MetricReportDefinitions })), {
    status: 400,
    messages: [['Base.PropertyValueFormatError', MetricReportDefinitions[0], 'MetricReportDefinitions']]
  })
})

t.test('there are as many subscriptions as the configuration says', async (t) => {
  const tables = { subscription: Object.fromEntries(Array.from({ length: 20 }, (_, id) => [id, {}])) }
  t.same(await refusal(() => post({}, { tables })), {
    status: 409,
    messages: [['Base.EventSubscriptionLimitExceeded']]
  })
})

t.test('they are listed, and the open streams with them', async (t) => {
  const streams = () => new Map([['SSE7', { context: 'SSE7', destination: 'redfish-sse://192.0.2.1:4711' }]])
  const { Members } = GET(context({ uri, tables: { subscription: { b: {}, a: {} } }, streams }))
  t.same(
    Members,
    ['a', 'b', 'SSE7'].map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
})

t.test('reading takes LoginPriv, subscribing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', POST: 'MgmtConfigPriv' })
})
