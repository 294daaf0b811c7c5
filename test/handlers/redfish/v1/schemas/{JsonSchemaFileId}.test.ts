import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/schemas/{JsonSchemaFileId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const documents = { 'schemas/Role.v1_3_1.json': '{}', 'schemas/RoleCollection.json': '{}' }
const schema = (JsonSchemaFileId: string) => GET(context({ params: { JsonSchemaFileId }, documents }))

t.test('a schema has its type and the URI of its file', async (t) => {
  t.match(schema('Role.v1_3_1'), {
    Schema: '#Role.v1_3_1.Role',
    Languages: ['en'],
    Location: [{ Language: 'en', Uri: '/redfish/v1/SchemaStore/en/Role.v1_3_1.json/' }]
  })
})

t.test('a collection has no version', async (t) => {
  t.match(schema('RoleCollection'), {
    Schema: '#RoleCollection.RoleCollection',
    Location: [{ Uri: '/redfish/v1/SchemaStore/en/RoleCollection.json/' }]
  })
})

t.test('there is no schema but those that were built', async (t) => {
  for (const id of ['Role', 'Role.v1_0_0', '../schemas/RoleCollection'])
    t.same(await refusal(() => schema(id)), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
