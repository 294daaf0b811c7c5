import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Registries.ts'
import { context } from '#test/handlers/context.ts'

t.test('the collection names each registry by its prefix', async (t) => {
  const documents = {
    'registries/Base.1.19.0.json': '',
    'schemas/Role.v1_3_1.json': '',
    'registries/Mgmt.2.15.0.json': ''
  }
  t.same(GET(context({ uri: '/redfish/v1/Registries', documents })).Members, [
    { '@odata.id': '/redfish/v1/Registries/Base/' },
    { '@odata.id': '/redfish/v1/Registries/Mgmt/' }
  ])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
