import t from 'tap'
import {
  GET as get,
  privileges,
  schema
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)
const uri = '/redfish/v1/Systems/1/LogServices/SystemLog'

t.test('a log says how much it holds, and offers to be cleared', async (t) => {
  t.match(GET(context({ uri, params: { ComputerSystemId: '1', LogServiceId: 'SystemLog' } })), {
    Entries: { '@odata.id': `${uri}/Entries/` },
    MaxNumberOfRecords: 250,
    OverWritePolicy: 'WrapsWhenFull',
    Actions: { '#LogService.ClearLog': {} }
  })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ComputerSystemId: '2', LogServiceId: 'SystemLog' },
    { ComputerSystemId: '1', LogServiceId: 'EventLog' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
