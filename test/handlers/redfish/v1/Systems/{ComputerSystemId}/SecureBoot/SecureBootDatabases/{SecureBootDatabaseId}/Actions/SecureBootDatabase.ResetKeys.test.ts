import t from 'tap'
import { POST } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Actions/SecureBootDatabase.ResetKeys.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { global, security, sha256, variable, x509 } from '#test/handlers/keys.ts'

const variables = { [`${global}/KEK`]: variable(x509()), [`${security}/db`]: variable(sha256(1)) }
const reset = (SecureBootDatabaseId: string, ResetKeysType: 'ResetAllKeysToDefault' | 'DeleteAllKeys') =>
  POST(context({ params: { ComputerSystemId: '1', SecureBootDatabaseId }, variables, body: { ResetKeysType } }))

t.test('the keys of this database are deleted, and of no other', async (t) => {
  t.same((await reset('KEK', 'DeleteAllKeys')).writes, {
    variable: { [`1/${global}/KEK`]: { attributes: 0x27, data: null } }
  })
})

t.test('the database gets its default', async (t) => {
  t.match((await reset('db', 'ResetAllKeysToDefault')).writes, {
    variable: { [`1/${security}/db`]: { attributes: 0x27, data: /^[0-9a-f]{1000,}$/ } }
  })
})

t.test('an empty database is not deleted again', async (t) => {
  t.same((await reset('dbr', 'DeleteAllKeys')).writes, { variable: {} })
})

t.test('a damaged database can be reset', async (t) => {
  const damaged = { [`${global}/KEK`]: { attributes: 0x27, data: Uint8Array.of(1) } }
  const params = { ComputerSystemId: '1', SecureBootDatabaseId: 'KEK' }
  const outcome = await POST(context({ params, variables: damaged, body: { ResetKeysType: 'DeleteAllKeys' as const } }))
  t.same(outcome.writes, { variable: { [`1/${global}/KEK`]: { attributes: 0x27, data: null } } })
})

t.test('a default database is not reset', async (t) => {
  t.same(await refusal(() => reset('dbDefault', 'DeleteAllKeys')), {
    status: 409,
    messages: [['Mgmt.KeyDatabaseReadOnly', 'dbDefault']]
  })
  t.same(await refusal(() => reset('x', 'DeleteAllKeys')), missing)
})
