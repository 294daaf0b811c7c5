import t from 'tap'
import {
  GET,
  methods,
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Certificates.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import {
  certificate,
  certificateId,
  der,
  enable,
  global,
  owner,
  security,
  sha256,
  variable,
  written,
  x509
} from '#test/handlers/keys.ts'

const of = (id: string) => `/redfish/v1/Systems/1/SecureBoot/SecureBootDatabases/${id}/Certificates`
const params = (SecureBootDatabaseId: string) => ({ ComputerSystemId: '1', SecureBootDatabaseId })
const body = { CertificateString: certificate, CertificateType: 'PEM' } as const
const hex = Buffer.from(der).toString('hex')

t.test('certificates are listed by ids of their content, each once, and signatures are not', async (t) => {
  const other = { ...x509(), owner: '00000000-0000-0000-0000-000000000001' }
  const variables = { [`${security}/db`]: variable(sha256(1), x509(), x509(Uint8Array.of(1)), other) }
  const { Members = [] } = GET(context({ uri: of('db'), params: params('db'), variables }))
  t.equal(Members.length, 2)
  t.equal(Members[0]?.['@odata.id'], `${of('db')}/${certificateId}/`)
})

t.test('a certificate is added to the lists of its variable, with an owner', async (t) => {
  const variables = { [`${security}/db`]: variable(sha256(1)) }
  const { status, location, writes, events } = await POST(
    context({ uri: of('db'), params: params('db'), variables, body })
  )
  t.match(events, [{ message: { key: 'MgmtEvents.SecureBootDatabaseChanged', args: ['db'] } }])
  t.same([status, location], [201, `${of('db')}/${certificateId}`])
  const { attributes, data } = writes?.variable?.[`1/${security}/db`] ?? {}
  t.equal(attributes, 0x27)
  const [first, second] = written(data)
  t.same(first, [owner, '01'.repeat(32)])
  t.match(second, [/^[0-9a-f-]{36}$/, hex])
})

t.test('its owner may be named', async (t) => {
  const UefiSignatureOwner = owner.toUpperCase()
  const { writes } = await POST(context({ params: params('KEK'), body: { ...body, UefiSignatureOwner } }))
  t.same(written(writes?.variable?.[`1/${global}/KEK`]?.data), [[owner, hex]])
})

t.test('a first platform key leaves secure boot off', async (t) => {
  const { writes } = await POST(context({ params: params('PK'), body }))
  t.same(writes?.variable?.[`1/${enable}`], { attributes: 3, data: '00' })
})

t.test('a certificate that is there, a second platform key and a full database are refused', async (t) => {
  const enrol = (id: string, name: string, ...entries: Parameters<typeof variable>) =>
    refusal(() => POST(context({ params: params(id), variables: { [name]: variable(...entries) }, body })))
  const all = Array.from({ length: 16 }, (_, index) => x509(Uint8Array.of(index)))
  t.match(await enrol('db', `${security}/db`, x509()), {
    status: 409,
    messages: [['Base.ResourceAlreadyExists', 'Certificate', 'Fingerprint', String]]
  })
  const full = { status: 409, messages: [['Base.CreateLimitReachedForResource']] }
  t.same(await enrol('PK', `${global}/PK`, x509(Uint8Array.of(1))), full)
  t.same(await enrol('db', `${security}/db`, ...all), full)
})

t.test('a text that is not a certificate is 400', async (t) => {
  const wrong = { ...body, CertificateString: 'x' }
  t.same(await refusal(() => POST(context({ params: params('db'), body: wrong }))), {
    status: 400,
    messages: [['Mgmt.CertificateNotAccepted', 'it is not PEM']]
  })
})

t.test('a variable that would not fit is refused', async (t) => {
  for (const space of [
    { total: 10_000, free: 9000, largest: 400 },
    { total: 10_000, free: 400, largest: 9000 }
  ]) {
    const given = context({ params: params('db'), body, nvram: { space } })
    t.same(await refusal(() => POST(given)), { status: 507, messages: [['Base.InsufficientStorage']] })
  }
})

t.test('a damaged database shows its readable entries, and is not changed', async (t) => {
  const { data } = variable(x509())
  const variables = { [`${security}/db`]: { attributes: 0x27, data: Uint8Array.from([...data, 1]) } }
  const given = { uri: of('db'), params: params('db'), variables }
  t.equal(GET(context(given)).Members?.length, 1)
  t.same(await refusal(() => POST(context({ ...given, body }))), {
    status: 409,
    messages: [['Mgmt.KeyDatabaseDamaged', 'db']]
  })
})

t.test('default databases are read-only', async (t) => {
  t.same(methods(params('dbDefault')), ['GET'])
  t.same(methods(params('db')), ['GET', 'POST'])
  t.same(privileges, { GET: 'LoginPriv', POST: 'HostBIOSConfigPriv' })
})

t.test('there is no other database, and no other system', async (t) => {
  t.same(await refusal(() => GET(context({ params: params('x') }))), missing)
  t.same(await refusal(() => POST(context({ params: { ...params('db'), ComputerSystemId: '2' }, body }))), missing)
})
