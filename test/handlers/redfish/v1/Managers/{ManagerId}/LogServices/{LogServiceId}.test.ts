import t from 'tap'
import { GET as get, privileges, schema } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Managers/1/LogServices/EventLog'

t.test('a log says how much it holds, and offers to be cleared', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1', LogServiceId: 'EventLog' } })), {
    Entries: { '@odata.id': `${uri}/Entries/` },
    MaxNumberOfRecords: 250,
    OverWritePolicy: 'WrapsWhenFull',
    Actions: {
      '#LogService.ClearLog': {},
      '#LogService.CollectDiagnosticData': { 'DiagnosticDataType@Redfish.AllowableValues': ['Manager'] }
    }
  })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ManagerId: '2', LogServiceId: 'EventLog' },
    { ManagerId: '1', LogServiceId: 'SystemLog' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
