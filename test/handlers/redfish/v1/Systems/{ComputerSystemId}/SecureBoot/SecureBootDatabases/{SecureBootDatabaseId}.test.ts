import t from 'tap'
import {
  GET as get,
  schema
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Systems/1/SecureBoot/SecureBootDatabases/db'
const show = (SecureBootDatabaseId: string) =>
  GET(context({ uri, params: { ComputerSystemId: '1', SecureBootDatabaseId } }))

t.test('a database links its certificates and signatures, and offers to reset its keys', async (t) => {
  t.match(show('db'), {
    DatabaseId: 'db',
    Certificates: { '@odata.id': `${uri}/Certificates/` },
    Signatures: { '@odata.id': `${uri}/Signatures/` },
    Actions: {
      '#SecureBootDatabase.ResetKeys': {
        'ResetKeysType@Redfish.AllowableValues': ['ResetAllKeysToDefault', 'DeleteAllKeys']
      }
    }
  })
})

t.test('a default database offers the same, for clients that look for it in each', async (t) => {
  t.same(show('dbDefault').Actions, show('db').Actions)
})

t.test('there is no other database', async (t) => {
  for (const id of ['DB', 'MokList', 'constructor']) t.same(await refusal(() => show(id)), missing)
})
