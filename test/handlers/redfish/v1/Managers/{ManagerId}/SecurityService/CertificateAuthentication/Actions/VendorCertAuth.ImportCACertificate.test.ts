import t from 'tap'
import { certificateId } from '#data/certificates'
import { POST } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/CertificateAuthentication/Actions/VendorCertAuth.ImportCACertificate.ts'
import { context, refusal } from '#test/handlers/context.ts'
import { certificate, der } from '#test/handlers/keys.ts'

const base = '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication'
const uri = `${base}/Actions/VendorCertAuth.ImportCACertificate`
const given = { uri, params: { ManagerId: '1' }, now: '2026-12-01T00:00:00Z' }
const id = certificateId(der)

t.test('an authority is imported, with escaped line breaks or with real ones', async (t) => {
  for (const Certificate of [
    certificate,
    certificate.replaceAll('\n', '\\n'),
    certificate.replaceAll('\n', '\\r\\n')
  ]) {
    t.match(await POST(context({ ...given, body: { Action: 'VendorCertAuth.ImportCACertificate', Certificate } })), {
      writes: { trustedCertificate: { [id]: { pem: certificate } } },
      events: [{ message: { key: 'MgmtEvents.CACertificateImported' }, origin: `${base}/Certificates/${id}` }]
    })
  }
})

t.test('one that is known, one too many and one that has expired are refused', async (t) => {
  const body = { Certificate: certificate }
  const many = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}`, { pem: '' }]))
  const cases: readonly (readonly [given: object, status: number, key: string])[] = [
    [{ tables: { trustedCertificate: { [id]: { pem: certificate } } } }, 409, 'Base.ResourceAlreadyExists'],
    [{ tables: { trustedCertificate: many } }, 409, 'Base.CreateLimitReachedForResource'],
    [{ now: '2060-01-01T00:00:00Z' }, 400, 'Mgmt.CertificateNotAccepted'],
    [{ body: { ...body, Action: 'DeleteCACertificate' } }, 400, 'Base.ActionParameterValueError']
  ]
  for (const [more, status, key] of cases) {
    const { status: found, messages } = await refusal(() => POST(context({ ...given, body, ...more })))
    t.same([found, messages[0]?.[0]], [status, key])
  }
})
