import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/schemas.ts'
import { context } from '#test/handlers/context.ts'

t.test('the collection names each schema by its type and version', async (t) => {
  const documents = {
    $metadata: '',
    'registries/Base.1.19.0.json': '',
    'schemas/Role.v1_3_1.json': '',
    'schemas/RoleCollection.json': ''
  }
  t.same(GET(context({ uri: '/redfish/v1/schemas', documents })).Members, [
    { '@odata.id': '/redfish/v1/schemas/Role.v1_3_1/' },
    { '@odata.id': '/redfish/v1/schemas/RoleCollection/' }
  ])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
