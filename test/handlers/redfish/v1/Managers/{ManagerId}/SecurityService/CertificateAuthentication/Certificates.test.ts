import t from 'tap'
import {
  DELETE,
  GET
} from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/CertificateAuthentication/Certificates/{CertificateId}.ts'
import { GET as list } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/CertificateAuthentication/Certificates.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { certificate } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication/Certificates'
const tables = { trustedCertificate: { AB: { pem: certificate } } }
const params = { ManagerId: '1', CertificateId: 'AB' }

t.test('an authority is listed, shown and removed', async (t) => {
  t.same(list(context({ uri, params: { ManagerId: '1' }, tables })).Members, [{ '@odata.id': `${uri}/AB/` }])
  t.match(GET(context({ params, tables })), {
    CertificateString: certificate,
    Subject: { CommonName: 'Image signing' }
  })
  t.match(await DELETE(context({ uri: `${uri}/AB`, params, tables })), {
    writes: { trustedCertificate: { AB: null } },
    events: [{ message: { key: 'MgmtEvents.CACertificateRemoved', args: ['CN=Image signing'] }, origin: `${uri}/AB` }]
  })
  t.same(await refusal(() => GET(context({ params }))), missing)
  t.same(await refusal(() => DELETE(context({ params: { ...params, ManagerId: '9' }, tables }))), missing)
})
