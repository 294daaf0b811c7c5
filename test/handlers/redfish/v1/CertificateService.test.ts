import t from 'tap'
import { GET as locate } from '#handlers/redfish/v1/CertificateService/CertificateLocations.ts'
import { GET as get, schema } from '#handlers/redfish/v1/CertificateService.ts'
import { completed, context } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/CertificateService'

t.test('the service offers its actions, with the keys that it can make', async (t) => {
  const { Actions } = GET(context({ uri }))
  t.match(Actions?.['#CertificateService.GenerateCSR'], {
    'KeyPairAlgorithm@Redfish.AllowableValues': ['TPM_ALG_ECDH', 'TPM_ALG_ECDSA', 'TPM_ALG_RSA'],
    'KeyCurveId@Redfish.AllowableValues': ['TPM_ECC_NIST_P256']
  })
  t.match(Actions?.['#CertificateService.ReplaceCertificate'], { 'CertificateType@Redfish.AllowableValues': ['PEM'] })
})

t.test('every certificate that the service uses is located', async (t) => {
  const tables = { trustedCertificate: { AB: { pem: '' } }, userCertificate: { 'jo@lab': { pem: '' } } }
  const { Links } = locate(context({ uri, tables }))
  t.same(Links, {
    Certificates: [
      { '@odata.id': '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates/1/' },
      { '@odata.id': '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication/Certificates/AB/' },
      { '@odata.id': '/redfish/v1/AccountService/Accounts/jo%40lab/Certificates/1/' }
    ],
    'Certificates@odata.count': 3
  })
})
