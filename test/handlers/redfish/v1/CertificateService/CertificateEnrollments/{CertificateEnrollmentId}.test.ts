import t from 'tap'
import { POST as renew } from '#handlers/redfish/v1/CertificateService/CertificateEnrollments/{CertificateEnrollmentId}/Actions/Oem/Vendor/VendorCertificateEnrollment.Renew.ts'
import { GET, PATCH } from '#handlers/redfish/v1/CertificateService/CertificateEnrollments/{CertificateEnrollmentId}.ts'
import { GET as list } from '#handlers/redfish/v1/CertificateService/CertificateEnrollments.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { certificate } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/CertificateService/CertificateEnrollments'
const of = (CertificateEnrollmentId: string) => ({ params: { CertificateEnrollmentId }, chain: certificate })

t.test('there is one enrollment, that of the certificate of HTTPS', async (t) => {
  const { Members } = list(context({ uri }))
  t.equal(Members.length, 1)
  const [id = ''] = Members.map((each) => each['@odata.id'].split('/').filter(Boolean).at(-1))
  t.match(GET(context(of(id))), {
    EnrollmentType: 'ACME',
    Enabled: false,
    Links: {
      EnrolledCertificate: { '@odata.id': /^\/redfish\/v1\/Managers\/1\/NetworkProtocol\/HTTPS\/Certificates\/1/ }
    }
  })
  t.match((await PATCH(context({ ...of(id), body: { ServerURI: 'https://ca.lab.example/directory' } }))).writes, {
    certificateEnrollment: { [id]: { server: 'https://ca.lab.example/directory' } }
  })
})

t.test('another one is 404', async (t) => {
  t.same(await refusal(() => GET(context(of('2')))), missing)
  t.same(await refusal(() => PATCH(context({ ...of('2'), body: {} }))), missing)
  t.same(await refusal(() => renew(context({ ...of('2'), body: {} }))), missing)
})
