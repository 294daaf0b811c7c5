import t from 'tap'
import { GET as get, privileges, schema } from '#handlers/redfish/v1/TelemetryService.ts'
import { completed, context } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/TelemetryService'

t.test('it shows its capabilities and links to its collections', async (t) => {
  t.match(GET(context({ uri, configuration: { sensors: { energySaveEvery: 600, interval: 2, samples: 10 } } })), {
    Name: 'Telemetry service',
    LogService: { '@odata.id': '/redfish/v1/Managers/1/LogServices/EventLog/' },
    MaxReports: 32,
    MetricDefinitions: { '@odata.id': `${uri}/MetricDefinitions/` },
    MetricReportDefinitions: { '@odata.id': `${uri}/MetricReportDefinitions/` },
    MetricReports: { '@odata.id': `${uri}/MetricReports/` },
    MinCollectionInterval: 'PT2S',
    ServiceEnabled: true,
    SupportedCollectionFunctions: ['Average', 'Maximum', 'Minimum', 'Summation'],
    Triggers: { '@odata.id': `${uri}/Triggers/` }
  })
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
