import t from 'tap'
import { GET } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('it leads to what it is about', async (t) => {
  const uri = '/redfish/v1/Managers/1/SecurityService'
  t.same(GET(context({ uri, params: { ManagerId: '1' } })).Links, {
    CertificateAuthentication: { '@odata.id': `${uri}/CertificateAuthentication/` },
    HttpsCert: { '@odata.id': `${uri}/HttpsCert/` }
  })
  t.same(await refusal(() => GET(context({ params: { ManagerId: '9' } }))), missing)
})
