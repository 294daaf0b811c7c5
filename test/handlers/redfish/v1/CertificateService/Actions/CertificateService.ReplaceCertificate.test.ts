import t from 'tap'
import { POST } from '#handlers/redfish/v1/CertificateService/Actions/CertificateService.ReplaceCertificate.ts'
import { context, refusal } from '#test/handlers/context.ts'
import { certificate, der } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates/1'
const body = {
  CertificateString: certificate,
  CertificateType: 'PEM' as const,
  CertificateUri: { '@odata.id': `${uri}/` }
}
const now = '2026-12-01T00:00:00Z'
const fits = (bytes: Uint8Array) => Buffer.from(bytes).equals(der)

t.test('a certificate for a key of the service is put in its place, and told of', async (t) => {
  t.match(await POST(context({ body, now, fits })), {
    status: 200,
    commands: [{ kind: 'replaceCertificate', chain: [der] }],
    events: [{ message: { key: 'MgmtEvents.ServerCertificateReplaced', args: ['CN=Image signing'] }, origin: uri }]
  })
})

t.test('one that does not fit or is out of date is refused', async (t) => {
  const refused = async (given: object) => (await refusal(() => POST(context({ body, now, fits, ...given })))).messages
  const because = (reason: string) => [['Mgmt.CertificateNotAccepted', reason]]
  const key = 'it is neither for the key in use nor for that of the signing request'
  t.same(await refused({ fits: () => false }), because(key))
  t.same(await refused({ now: '2026-01-01T00:00:00Z' }), because('it is not valid yet'))
  t.same(await refused({ now: '2052-01-01T00:00:00Z' }), because('it has expired'))
  t.same(await refused({ body: { ...body, CertificateUri: { '@odata.id': `${uri}1` } } }), [
    ['Base.ActionParameterValueError', 'CertificateUri', 'CertificateService.ReplaceCertificate']
  ])
})

t.test('a clock that was never set refuses nothing', async (t) => {
  t.match(await POST(context({ body, now: '1970-01-01T00:01:00Z', fits })), { status: 200 })
})
