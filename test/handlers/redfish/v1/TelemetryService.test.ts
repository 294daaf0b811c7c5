import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/TelemetryService.ts'
import { context } from '#test/handlers/context.ts'

const uri = '/redfish/v1/TelemetryService'

t.test('it shows its capabilities and links to its collections', async (t) => {
  t.same(GET(context({ uri, configuration: { sensors: { energySaveEvery: 600, interval: 2, samples: 10 } } })), {
    Name: 'Telemetry service',
    MaxReports: 32,
    MetricDefinitions: { '@odata.id': `${uri}/MetricDefinitions/` },
    MetricReportDefinitions: { '@odata.id': `${uri}/MetricReportDefinitions/` },
    MetricReports: { '@odata.id': `${uri}/MetricReports/` },
    MinCollectionInterval: 'PT2S',
    ServiceEnabled: true,
    SupportedCollectionFunctions: ['Average', 'Maximum', 'Minimum', 'Summation']
  })
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
