import t from 'tap'
import { POST, privileges } from '#handlers/redfish/v1/CertificateService/Actions/CertificateService.GenerateCSR.ts'
import { badRequest, context } from '#test/handlers/context.ts'

const collection = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates'
const names = {
  CertificateCollection: { '@odata.id': `${collection}/` },
  City: 'Bern',
  CommonName: 'bmc-1',
  Country: 'CH',
  Organization: 'Lab',
  OrganizationalUnit: 'Racks',
  State: 'BE'
}

t.test('the request is answered, and kept with its key once that is sealed', async (t) => {
  const outcome = await POST(context({ body: names }))
  t.match(outcome, {
    status: 200,
    result: { CSRString: 'request of bmc-1', CertificateCollection: { '@odata.id': `${collection}/` } },
    commands: [{ kind: 'keepSigningRequest', request: 'request of bmc-1', key: 'sealed key' }],
    events: [{ message: { key: 'MgmtEvents.CertificateSigningRequestGenerated', args: ['bmc-1'] }, origin: collection }]
  })
  t.notOk(JSON.stringify(outcome.result).includes('sealed'))
})

t.test('a request for a key or a collection that the service does not support is 400', async (t) => {
  const action = 'CertificateService.GenerateCSR'
  const refused = async (more: object) => await badRequest(() => POST(context({ body: { ...names, ...more } })))
  const elsewhere = { '@odata.id': '/redfish/v1/Systems/1/SecureBoot' }
  t.same(await refused({ CertificateCollection: elsewhere }), [
    ['Base.ActionParameterValueError', 'CertificateCollection', action]
  ])
  t.same(await refused({ KeyPairAlgorithm: 'TPM_ALG_RSA', KeyBitLength: 1024 }), [
    ['Base.ActionParameterValueNotInList', '1024', 'KeyBitLength', action]
  ])
  t.same(await refused({ KeyBitLength: 2048 }), [
    ['Base.ActionParameterValueNotInList', '2048', 'KeyBitLength', action]
  ])
  t.same(await refused({ KeyPairAlgorithm: 'TPM_ALG_RSA', KeyCurveId: 'TPM_ECC_NIST_P256' }), [
    ['Base.ActionParameterNotSupported', 'KeyCurveId', action]
  ])
})

t.test('it takes who configures the controller', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
