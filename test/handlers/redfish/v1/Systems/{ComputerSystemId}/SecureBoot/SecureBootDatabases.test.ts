import t from 'tap'
import { GET } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/SecureBoot/SecureBootDatabases'

t.test('there are twelve, those in use first', async (t) => {
  const ids = ['PK', 'KEK', 'db', 'dbx', 'dbt', 'dbr']
  t.same(
    GET(context({ uri, params: { ComputerSystemId: '1' } })).Members,
    [...ids, ...ids.map((id) => `${id}Default`)].map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
})

t.test('a missing system is 404', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: 'x' } }))), missing)
})
