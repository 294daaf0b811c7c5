import t from 'tap'
import {
  DELETE,
  GET as getOne,
  privileges as ofOne
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Boot/Certificates/{CertificateId}.ts'
import { GET, POST, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Boot/Certificates.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { certificate, certificateId, der, variable, written, x509 } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Systems/1/Boot/Certificates'
const params = { ComputerSystemId: '1' }
const one = { ...params, CertificateId: certificateId }
const path = 'fd2340d0-3dab-4349-a6c7-3b4f12b48eae/TlsCaCertificate'
const body = { CertificateString: certificate, CertificateType: 'PEM' } as const
const variables = { [path]: variable(x509()) }

t.test('a certificate is added to the variable that firmware reads', async (t) => {
  const other = x509(Uint8Array.of(1))
  const { status, location, writes } = await POST(
    context({ uri, params, variables: { [path]: variable(other) }, body })
  )
  t.same([status, location], [201, `${uri}/${certificateId}`])
  const { attributes, data } = writes?.variable?.[`1/${path}`] ?? {}
  t.equal(attributes, 3, 'for the boot services alone')
  t.same(
    written(data).map(([, each]) => each),
    ['01', Buffer.from(der).toString('hex')]
  )
})

t.test('the certificates are listed and shown', async (t) => {
  t.same(GET(context({ uri, params })).Members, [])
  t.same(GET(context({ uri, params, variables })).Members, [{ '@odata.id': `${uri}/${certificateId}/` }])
  t.equal(getOne(context({ params: one, variables })).CertificateString, certificate)
})

t.test('one that is removed goes at the next reset, and the variable with the last of them', async (t) => {
  t.match(await DELETE(context({ params: one, variables })), {
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { variable: { [`1/${path}`]: { data: null } } }
  })
})

t.test('a duplicate and the 21st certificate are 409, and a text that is not a certificate is 400', async (t) => {
  t.match(await refusal(() => POST(context({ params, variables, body }))), {
    status: 409,
    messages: [['Base.ResourceAlreadyExists', 'Certificate', 'Fingerprint', String]]
  })
  const full = { [path]: variable(...Array.from({ length: 20 }, (_, index) => x509(Uint8Array.of(index)))) }
  t.match(await refusal(() => POST(context({ params, variables: full, body }))), {
    status: 409,
    messages: [['Base.CreateLimitReachedForResource']]
  })
  for (const CertificateString of ['', 'x'.repeat(10_000)])
    t.match(await refusal(() => POST(context({ params, body: { ...body, CertificateString } }))), { status: 400 })
})

t.test('a damaged variable is not overwritten', async (t) => {
  const damaged = { [path]: { attributes: 3, data: variable(x509()).data.subarray(0, 40) } }
  const refused = { status: 409, messages: [['Mgmt.KeyDatabaseDamaged', 'TlsCaCertificate']] }
  t.same(await refusal(() => POST(context({ params, variables: damaged, body }))), refused)
  t.same(GET(context({ uri, params, variables: damaged })).Members, [])
})

t.test('there is no other certificate and no other system', async (t) => {
  for (const params of [one, { ...one, ComputerSystemId: '2' }]) {
    t.same(await refusal(() => getOne(context({ params }))), missing)
    t.same(await refusal(() => DELETE(context({ params }))), missing)
  }
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
})

t.test('a change takes the privilege for the BIOS', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', POST: 'HostBIOSConfigPriv' })
  t.same(ofOne, { GET: 'LoginPriv', DELETE: 'HostBIOSConfigPriv' })
})
