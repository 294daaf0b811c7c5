import t from 'tap'
import { GET as get, schema } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

t.test('it links its resources', async (t) => {
  const uri = '/redfish/v1/Managers/1/SecurityService'
  t.same(GET(context({ uri, params: { ManagerId: '1' } })).Links, {
    CertificateAuthentication: { '@odata.id': `${uri}/CertificateAuthentication/` },
    HttpsCert: { '@odata.id': `${uri}/HttpsCert/` }
  })
  t.same(await refusal(() => GET(context({ params: { ManagerId: '9' } }))), missing)
})
