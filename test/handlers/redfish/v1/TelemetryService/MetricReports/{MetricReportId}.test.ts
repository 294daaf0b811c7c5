import t from 'tap'
import { defaultDefinition, type MetricReport } from '#data/telemetry'
import { GET, privileges } from '#handlers/redfish/v1/TelemetryService/MetricReports/{MetricReportId}.ts'
import * as collection from '#handlers/redfish/v1/TelemetryService/MetricReports.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/TelemetryService/MetricReports'
const property = '/redfish/v1/Chassis/1/Sensors/41/#/Reading'
const timestamp = '2025-06-01T12:00:05.000Z'
const unlisted = { ...defaultDefinition, name: 'Unlisted', actions: ['RedfishEvent' as const], metrics: [] }
const tables = {
  metricReportDefinition: { Own: { ...unlisted, actions: defaultDefinition.actions }, Unlisted: unlisted }
}
const none = { sequence: 0, timestamp: undefined, values: [] }
const show = (MetricReportId: string, reports: Record<string, MetricReport> = {}) =>
  GET(context({ params: { MetricReportId }, tables, report: (definition) => reports[definition] ?? none }))

t.test('there is a report for each definition that wants it in the collection', async (t) => {
  const ids = collection.GET(context({ uri, tables })).Members.map((each) => each['@odata.id'])
  t.ok(ids.includes(`${uri}/CPUUtilization/`) && ids.includes(`${uri}/Own/`))
  t.notOk(ids.includes(`${uri}/Unlisted/`))
  t.same(await refusal(() => show('Unlisted')), missing)
})

t.test('a report links its definition, and has a text for each value', async (t) => {
  const values = [
    { metric: 'CPUUtilization', property, value: 30.5, timestamp },
    { metric: 'mine', property, value: undefined, timestamp }
  ]
  t.same(show('CPUUtilization', { CPUUtilization: { sequence: 7, timestamp, values } }), {
    Id: 'CPUUtilization',
    Name: 'Processor utilization',
    Description: 'Values of metrics at a time',
    MetricReportDefinition: {
      '@odata.id': '/redfish/v1/TelemetryService/MetricReportDefinitions/CPUUtilization/'
    },
    MetricValues: [
      {
        MetricDefinition: { '@odata.id': '/redfish/v1/TelemetryService/MetricDefinitions/CPUUtilization/' },
        MetricId: 'CPUUtilization',
        MetricProperty: property,
        MetricValue: '30.5',
        Timestamp: timestamp
      },
      { MetricId: 'mine', MetricProperty: property, MetricValue: null, Timestamp: timestamp }
    ],
    'MetricValues@odata.count': 2,
    ReportSequence: '7',
    Timestamp: timestamp
  })
})

t.test('before the first one there is nothing in it', async (t) => {
  t.match(show('CPUUtilization'), { MetricValues: [], ReportSequence: '0' })
  t.notOk('Timestamp' in show('CPUUtilization'))
})

t.test('one that is not there is not there', async (t) => {
  t.same(await refusal(() => show('Noise')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same([privileges, collection.privileges], [{ GET: 'LoginPriv' }, { GET: 'LoginPriv' }])
})
