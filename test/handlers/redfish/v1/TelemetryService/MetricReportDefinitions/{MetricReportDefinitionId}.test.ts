import t from 'tap'
import { defaultDefinition, type MetricReportDefinition } from '#data/telemetry'
import {
  DELETE,
  GET,
  PATCH,
  privileges
} from '#handlers/redfish/v1/TelemetryService/MetricReportDefinitions/{MetricReportDefinitionId}.ts'
import * as collection from '#handlers/redfish/v1/TelemetryService/MetricReportDefinitions.ts'
import { badRequest, context, missing, refusal } from '#test/handlers/context.ts'

type Patch = Parameters<typeof PATCH>[0]['body']
type Create = Parameters<typeof collection.POST>[0]['body']

const uri = '/redfish/v1/TelemetryService/MetricReportDefinitions'
const property = '/redfish/v1/Chassis/1/Thermal/#/Fans/0/Reading'
const own: MetricReportDefinition = {
  ...defaultDefinition,
  name: 'Own',
  metrics: [{ id: 'mine', properties: [property], function: null, duration: null, timeScope: 'Point' }]
}
const tables = { metricReportDefinition: { Own: own, FanSpeed: { ...own, removed: true } } }
const params = (MetricReportDefinitionId: string) => ({ MetricReportDefinitionId })
const show = (id: string) => GET(context({ params: params(id), tables }))
const patch = async (id: string, body: Patch) =>
  (await PATCH(context({ params: params(id), tables, body }))).writes?.metricReportDefinition?.[id]
const post = (body: Create, more = {}) => collection.POST(context({ uri, tables, body, ...more }))
const fails = async (body: Patch) => await badRequest(() => patch('Temperature', body))
const periodic = { MetricReportDefinitionType: 'Periodic', Metrics: [{ MetricId: 'FanSpeed' }] } as const

t.test('there is one for each metric that was not deleted, and those of clients', async (t) => {
  const ids = collection
    .GET(context({ uri, tables }))
    .Members.map((each) => each['@odata.id'].slice(uri.length + 1, -1))
  const load = ['CPUUtilization', 'MemoryBandwidth', 'IOBandwidth']
  t.same(ids, [...load, 'PowerConsumption', 'PowerSupplyOutput', 'Temperature', 'Own'])
  for (const id of ['FanSpeed', 'Noise']) t.same(await refusal(() => show(id)), missing, id)
})

t.test('a shipped definition reports its metric on request', async (t) => {
  t.same(show('Temperature'), {
    Id: 'Temperature',
    Name: 'Temperature',
    AppendLimit: 256,
    MetricReport: { '@odata.id': '/redfish/v1/TelemetryService/MetricReports/Temperature/' },
    MetricReportDefinitionEnabled: true,
    MetricReportDefinitionType: 'OnRequest',
    Metrics: [
      {
        CollectionDuration: null,
        CollectionFunction: null,
        CollectionTimeScope: 'Point',
        MetricId: 'Temperature',
        MetricProperties: []
      }
    ],
    ReportActions: ['LogToMetricReportsCollection', 'RedfishEvent'],
    ReportUpdates: 'Overwrite',
    Schedule: { InitialStartTime: null, RecurrenceInterval: 'PT1M' },
    Status: { State: 'Enabled' }
  })
})

t.test('type and schedule are changed, and nothing else', async (t) => {
  const Schedule = { RecurrenceInterval: 'P7DT', InitialStartTime: '2025-06-01T12:00:00+02:00' }
  const changed = await patch('Temperature', { MetricReportDefinitionType: 'Periodic', Schedule })
  t.match(changed, {
    name: 'Temperature',
    type: 'Periodic',
    interval: 'P7DT',
    start: '2025-06-01T12:00:00+02:00',
    metrics: [{ id: 'Temperature' }]
  })
  t.equal((await patch('Temperature', { Schedule: { RecurrenceInterval: 'P1DT' } }))?.interval, 'P1DT')
  t.equal((await patch('Own', { MetricReportDefinitionEnabled: false }))?.enabled, false)
})

t.test('null clears a setting', async (t) => {
  const body = { Schedule: { RecurrenceInterval: null } }
  t.equal((await patch('Temperature', body))?.interval, null)
  t.same(await fails({ ...body, MetricReportDefinitionType: 'Periodic' }), [
    ['Base.PropertyMissing', 'RecurrenceInterval']
  ])
})

t.test('intervals that are invalid, too short or too long are refused', async (t) => {
  for (const [RecurrenceInterval, key] of [
    ['P0D', 'OutOfRange'],
    ['PT0S', 'OutOfRange'],
    ['PT0.9S', 'OutOfRange'],
    ['P3651D', 'OutOfRange'],
    [`P${'9'.repeat(40)}D`, 'FormatError'],
    ['P', 'FormatError']
  ] as const) {
    const messages = [[`Base.PropertyValue${key}`, RecurrenceInterval, 'RecurrenceInterval']]
    t.same(await fails({ Schedule: { RecurrenceInterval } }), messages, RecurrenceInterval)
  }
  for (const RecurrenceInterval of ['PT1S', 'PT5S', 'P3650D', 'P1DT', 'P1DT2H3M4.5S']) {
    t.equal((await patch('Own', { Schedule: { RecurrenceInterval } }))?.interval, RecurrenceInterval)
  }
})

t.test('a day that no calendar has is no start', async (t) => {
  const InitialStartTime = '2025-06-31T12:00:00Z'
  t.same(await fails({ Schedule: { InitialStartTime } }), [
    ['Base.PropertyValueFormatError', InitialStartTime, 'InitialStartTime']
  ])
})

t.test('all faults are reported at once, each with its path', async (t) => {
  const Metrics = [
    { MetricId: 'Noise' },
    { MetricProperties: [property, '/redfish/v1/Chassis/1/Thermal/#/Fans/99/Reading'] },
    { MetricId: 'FanSpeed', CollectionFunction: 'Average' as const },
    { MetricId: 'FanSpeed', CollectionFunction: 'Average' as const, CollectionDuration: 'P1D' },
    { MetricId: 'FanSpeed', CollectionTimeScope: 'Interval' as const },
    {
      ...{ MetricId: 'FanSpeed', CollectionFunction: 'Average' as const, CollectionDuration: 'PT1M' },
      CollectionTimeScope: 'Point' as const
    }
  ]
  const body = { AppendLimit: 257, Schedule: { RecurrenceInterval: 'PT0.9S' }, Metrics }
  const error = await Promise.resolve()
    .then(() => patch('Own', body))
    .catch((caught: unknown) => caught as { messages: { key: string; args: string[]; related: string[] }[] })
  t.same(
    (error as { messages: { key: string; related: string[] }[] }).messages.map(({ key, related }) => [key, ...related]),
    [
      ['Base.PropertyValueOutOfRange', '#/Schedule/RecurrenceInterval'],
      ['Base.PropertyValueOutOfRange', '#/AppendLimit'],
      ['Base.PropertyValueNotInList', '#/Metrics/0/MetricId'],
      ['Base.PropertyMissing', '#/Metrics/1/MetricId'],
      ['Base.PropertyValueNotInList', '#/Metrics/1/MetricProperties/1'],
      ['Base.PropertyMissing', '#/Metrics/2/CollectionDuration'],
      ['Base.PropertyValueOutOfRange', '#/Metrics/3/CollectionDuration'],
      ['Base.PropertyMissing', '#/Metrics/4/CollectionFunction'],
      ['Base.PropertyValueConflict', '#/Metrics/5/CollectionTimeScope']
    ]
  )
})

t.test('a report of nothing, and one of more than a report may have, are refused', async (t) => {
  t.same(await fails({ Metrics: [] }), [['Base.PropertyValueIncorrect', 'Metrics', '[]']])
  const Metrics = Array.from({ length: 29 }, () => ({ MetricId: 'Temperature' }))
  t.same(await fails({ Metrics }), [['Base.ArraySizeTooLong', 'Metrics', '256']])
})

t.test('a value that the configuration no longer allows does not prevent changes of others', async (t) => {
  const configuration = {
    sensors: { energySaveEvery: 600, interval: 3600, samples: 1 },
    limits: { ...context().configuration.limits, metricValues: 1 }
  }
  const change = (body: Patch) => PATCH(context({ params: params('Temperature'), tables, configuration, body }))
  t.equal((await change({ MetricReportDefinitionEnabled: false })).status, 200)
  t.equal(
    (await change({ MetricReportDefinitionType: 'Periodic' })).status,
    200,
    'reports may come more often than values'
  )
  t.equal((await refusal(() => change({ Metrics: [{}, { MetricId: 'FanSpeed' }] }))).status, 400)
})

t.test('metrics are kept, removed and replaced one by one', async (t) => {
  const Metrics = [{}, { MetricId: 'FanSpeed', CollectionFunction: 'Maximum' as const, CollectionDuration: 'PT1M' }]
  t.match((await patch('Own', { Metrics }))?.metrics, [
    { id: 'mine', properties: [property] },
    { id: 'FanSpeed', properties: [], function: 'Maximum', duration: 'PT1M', timeScope: 'Interval' }
  ])
})

t.test('the actions of a report are merged as any array', async (t) => {
  const ReportActions = [null, {}] as unknown as 'RedfishEvent'[]
  t.same((await patch('Own', { ReportActions }))?.actions, ['RedfishEvent'])
})

t.test('a property is known with and without the slash before its fragment', async (t) => {
  const MetricProperties = [property.replace('/#', '#')]
  t.match(await patch('Own', { Metrics: [{ MetricId: 'x', MetricProperties }] }), {
    metrics: [{ properties: [property] }]
  })
})

t.test('a definition is created under its Id, with defaults for absent members', async (t) => {
  t.match(await post({ ...periodic, Id: 'New', Schedule: { RecurrenceInterval: 'PT1M' } }), {
    status: 201,
    location: `${uri}/New`,
    writes: {
      metricReportDefinition: { New: { ...defaultDefinition, name: 'New', type: 'Periodic', interval: 'PT1M' } }
    }
  })
  t.match(await post({ ...periodic, MetricReportDefinitionType: 'OnChange', Name: 'Named' }), {
    location: `${uri}/${'ab'.repeat(8)}`,
    writes: { metricReportDefinition: { ['ab'.repeat(8)]: { name: 'Named', type: 'OnChange' } } }
  })
})

t.test('an existing id is 409, and so is a definition beyond the limit', async (t) => {
  const OnRequest = { ...periodic, MetricReportDefinitionType: 'OnRequest' } as const
  for (const Id of ['Own', 'Temperature']) {
    t.same(await refusal(() => post({ ...OnRequest, Id })), {
      status: 409,
      messages: [['Base.ResourceAlreadyExists', 'MetricReportDefinition', 'Id', Id]]
    })
  }
  const full = { limits: { ...context().configuration.limits, metricReportDefinitions: 6 } }
  t.same(await refusal(() => post(OnRequest, { configuration: full })), {
    status: 409,
    messages: [['Base.CreateLimitReachedForResource']]
  })
})

t.test('a new periodic definition without RecurrenceInterval is 400', async (t) => {
  t.same(await badRequest(() => post({ ...periodic, Id: 'New' })), [['Base.PropertyMissing', 'RecurrenceInterval']])
})

t.test('a deleted definition stays deleted, a shipped one until it is created again', async (t) => {
  const gone = (id: string) => DELETE(context({ params: params(id), tables }))
  t.same((await gone('Own')).writes, { metricReportDefinition: { Own: null } })
  t.match((await gone('Temperature')).writes, { metricReportDefinition: { Temperature: { removed: true } } })
  t.same(await refusal(() => gone('FanSpeed')), missing)
  t.match((await post({ ...periodic, MetricReportDefinitionType: 'OnRequest', Id: 'FanSpeed' })).writes, {
    metricReportDefinition: { FanSpeed: { removed: false, type: 'OnRequest' } }
  })
})

t.test('writing takes MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' })
  t.same(collection.privileges, { GET: 'LoginPriv', POST: 'MgmtConfigPriv' })
})
