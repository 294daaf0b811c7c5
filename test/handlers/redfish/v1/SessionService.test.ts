import t from 'tap'
import { GET as get, PATCH, privileges, schema } from '#handlers/redfish/v1/SessionService.ts'
import { completed, context } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/SessionService'

t.test('the idle time of sessions is the configured one until a client sets it', async (t) => {
  t.match(GET(context({ uri, configuration: { sessionTimeout: 600 } })), {
    ServiceEnabled: true,
    SessionTimeout: 600,
    Sessions: { '@odata.id': `${uri}/Sessions/` },
    Status: { State: 'Enabled' }
  })
  t.match(GET(context({ uri, tables: { sessionService: { settings: { timeout: 45 } } } })), {
    SessionTimeout: 45,
    ServiceEnabled: true
  })
})

t.test('a service that was switched off says so', async (t) => {
  const off = GET(context({ uri, tables: { sessionService: { settings: { enabled: false } } } }))
  t.match(off, { ServiceEnabled: false, Status: { State: 'Disabled' } })
})

t.test('a PATCH stores the properties that it names and no others', async (t) => {
  t.match(await PATCH(context({ body: { SessionTimeout: 30 } })), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    writes: { sessionService: { settings: { timeout: 30, enabled: undefined } } }
  })
  t.match(await PATCH(context({ body: { ServiceEnabled: false } })), {
    writes: { sessionService: { settings: { timeout: undefined, enabled: false } } }
  })
})

t.test('reading takes LoginPriv, changing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
