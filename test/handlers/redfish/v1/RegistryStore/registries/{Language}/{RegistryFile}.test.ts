import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/RegistryStore/registries/{Language}/{RegistryFile}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const documents = { 'registries/Base.1.19.0.json': 'the registry', 'schemas/Role.v1_3_1.json': 'a schema' }
const read = (RegistryFile: string, Language = 'en') => GET(context({ params: { Language, RegistryFile }, documents }))

t.test('a registry file has two names, with its version and without', async (t) => {
  for (const name of ['Base.1.19.0.json', 'Base.json']) {
    const { type, gzip } = read(name)
    t.equal(type, 'application/json;charset=utf-8')
    t.equal(new TextDecoder().decode(gzip), 'the registry')
  }
})

t.test('there is no other file and no other language', async (t) => {
  for (const name of ['Base.1.16.0.json', 'Mgmt.json', 'Bas.json', 'Base', '.json', '../schemas/Role.v1_3_1.json']) {
    t.same(await refusal(() => read(name)), missing, name)
  }
  t.same(await refusal(() => read('Base.json', 'de')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
