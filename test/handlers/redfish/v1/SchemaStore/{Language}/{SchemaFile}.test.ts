import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/SchemaStore/{Language}/{SchemaFile}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const documents = { 'schemas/Role.v1_3_1.json': 'the schema', 'registries/Base.1.19.0.json': 'a registry' }
const read = (SchemaFile: string, Language = 'en') => GET(context({ params: { Language, SchemaFile }, documents }))

t.test('a schema file is sent as it was built', async (t) => {
  const { type, gzip } = read('Role.v1_3_1.json')
  t.equal(type, 'application/json;charset=utf-8')
  t.equal(new TextDecoder().decode(gzip), 'the schema')
})

t.test('there is no other file and no other language', async (t) => {
  for (const name of ['Role.json', 'Role.v1_3_1', 'Base.1.19.0.json']) t.same(await refusal(() => read(name)), missing)
  t.same(await refusal(() => read('Role.v1_3_1.json', 'de')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
