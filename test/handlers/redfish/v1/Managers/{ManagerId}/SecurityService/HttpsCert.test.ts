import { randomBytes } from 'node:crypto'
import t from 'tap'
import { certificatesFrom } from '#data/certificates'
import { simPort } from '#hal/sim/ports.ts'
import { GET as show } from '#handlers/redfish/v1/Managers/{ManagerId}/NetworkProtocol/HTTPS/Certificates/{CertificateId}.ts'
import { GET as list } from '#handlers/redfish/v1/Managers/{ManagerId}/NetworkProtocol/HTTPS/Certificates.ts'
import { POST as generate } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/HttpsCert/Actions/VendorHttpsCert.GenerateCSR.ts'
import { POST as importCertificate } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/HttpsCert/Actions/VendorHttpsCert.ImportCertificate.ts'
import { GET } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/HttpsCert.ts'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { certificate } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Managers/1/SecurityService/HttpsCert'
const collection = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates'
const params = { ManagerId: '1' }

t.test('the certificate in use is shown in both forms', async (t) => {
  t.match(GET(context({ uri, params, chain: certificate })), {
    CertificateSigningRequest: null,
    X509CertificateInformation: {
      Issuer: 'CN=Image signing',
      Subject: 'CN=Image signing',
      ValidNotBefore: '2026-11-20T22:51:07.000Z'
    }
  })
  t.same(list(context({ uri: collection, params })).Members, [{ '@odata.id': `${collection}/1/` }])
  const own = { ManagerId: '1', CertificateId: '1' }
  t.match(show(context({ params: own, chain: certificate })), {
    CertificateString: certificate,
    CertificateType: 'PEM'
  })
  t.equal(show(context({ params: own, chain: certificate + certificate })).CertificateType, 'PEMchain')
  t.same(await refusal(() => show(context({ params: { ...own, CertificateId: '2' }, chain: certificate }))), missing)
})

t.test('a request includes the controller’s addresses if asked to', async (t) => {
  const body = { CommonName: 'bmc-1', OrgName: 'Lab', City: 'Bern', State: 'BE', Country: 'CH' }
  const outcome = await generate(context({ uri, params, body }))
  t.match(outcome, { result: { CSRString: 'request of bmc-1' }, commands: [{ kind: 'keepSigningRequest' }] })
  const wanted: unknown[] = []
  const { state } = simPort({
    ipv4: [{ address: '192.0.2.16', subnetMask: '255.255.255.0' }],
    ipv6: [{ address: 'fe80::1', prefixLength: 64, origin: 'LinkLocal' }]
  })
  const asked = context({ uri, params, port: state, body: { ...body, IncludeIP: true } })
  const makeRequest = async (wish: { alternativeNames: readonly string[] }) => {
    wanted.push(...wish.alternativeNames)
    return { request: '', key: '' }
  }
  await generate({ ...asked, ownCertificate: { ...asked.ownCertificate, makeRequest } })
  t.same(wanted, ['192.0.2.16', 'fe80::1'])
})

t.test('a certificate is imported as the one in use', async (t) => {
  const now = '2026-12-01T00:00:00Z'
  const names = { dns: ['bmc-1'], ip: [] }
  const { key, cert } = await selfSigned({
    commonName: 'bmc-1',
    altNames: names,
    now: new Date(now),
    random: randomBytes
  })
  const given = { uri, params, now, body: { Certificate: cert } }
  const chain = certificatesFrom(cert)
  const events = [{ origin: `${collection}/1` }]
  t.match(await importCertificate(context({ ...given, fits: () => true })), {
    commands: [{ kind: 'replaceCertificate', chain }],
    events
  })
  t.match(await importCertificate(context({ ...given, body: { Certificate: key + cert } })), {
    commands: [{ kind: 'replaceCertificate', chain, key: `sealed ${key}` }],
    events
  })
  t.equal((await refusal(() => importCertificate(context(given)))).status, 400)
})
