import t from 'tap'
import { GET as get, PATCH, privileges, schema } from '#handlers/redfish/v1/EventService.ts'
import { completed, context } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/EventService'

t.test('the service lists the registries and formats of its events', async (t) => {
  const service = GET(context({ uri }))
  t.match(service, {
    ServiceEnabled: true,
    DeliveryRetryAttempts: 3,
    DeliveryRetryIntervalSeconds: 30,
    EventFormatTypes: ['Event', 'MetricReport'],
    ServerSentEventUri: `${uri}/SSE`,
    Status: { State: 'Enabled' },
    Subscriptions: { '@odata.id': `${uri}/Subscriptions/` },
    Actions: { '#EventService.SubmitTestEvent': { 'Severity@Redfish.AllowableValues': ['OK', 'Warning', 'Critical'] } }
  })
  t.same([...(service.RegistryPrefixes ?? [])].sort(), [
    'MgmtEvents',
    'MgmtResourceEvents',
    'NetworkDevice',
    'ResourceEvent',
    'StorageDevice',
    'Telemetry'
  ])
})

t.test('it is switched off and on', async (t) => {
  t.match(await PATCH(context({ body: { ServiceEnabled: false } })), {
    status: 200,
    writes: { eventService: { settings: { enabled: false } } }
  })
  const off = GET(context({ uri, tables: { eventService: { settings: { enabled: false } } } }))
  t.match(off, { ServiceEnabled: false, Status: { State: 'Disabled' } })
})

t.test('reading takes LoginPriv, changing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
