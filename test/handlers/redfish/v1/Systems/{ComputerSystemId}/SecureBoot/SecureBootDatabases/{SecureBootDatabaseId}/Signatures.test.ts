import t from 'tap'
import {
  GET,
  methods,
  POST
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Signatures.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { owner, security, sha256, variable, written, x509 } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Systems/1/SecureBoot/SecureBootDatabases/dbx/Signatures'
const params = (SecureBootDatabaseId = 'dbx') => ({ ComputerSystemId: '1', SecureBootDatabaseId })
const variables = { [`${security}/dbx`]: variable(x509(), sha256(1), sha256(2)) }
const hash = 'AB'.repeat(32)

t.test('signatures are listed, and certificates are not', async (t) => {
  const { Members = [] } = GET(context({ uri, params: params(), variables }))
  t.equal(Members.length, 2)
  for (const member of Members) t.match(member['@odata.id'], /\/Signatures\/[0-9A-F]{32}\/$/)
})

t.test('a hash joins the others', async (t) => {
  const body = { SignatureString: hash }
  const { status, location, writes } = await POST(context({ uri, params: params(), variables, body }))
  t.equal(status, 201)
  t.match(location, /\/Signatures\/[0-9A-F]{32}$/)
  const entries = written(writes?.variable?.[`1/${security}/dbx`]?.data)
  t.same(
    entries.slice(1, 3).map((each) => each[1]),
    ['01'.repeat(32), '02'.repeat(32)]
  )
  t.match(entries[3], [/^[0-9a-f-]{36}$/, 'ab'.repeat(32)])
})

t.test('longer hashes have types of their own', async (t) => {
  for (const [SignatureType, size] of [
    ['EFI_CERT_SHA384_GUID', 48],
    ['EFI_CERT_SHA512_GUID', 64]
  ] as const) {
    const body = { SignatureString: 'ab'.repeat(size), SignatureType, UefiSignatureOwner: owner }
    const { writes } = await POST(context({ uri, params: params(), body }))
    t.same(written(writes?.variable?.[`1/${security}/dbx`]?.data), [[owner, 'ab'.repeat(size)]])
  }
})

t.test('a hash of the wrong length, one that is there and one too many are refused', async (t) => {
  const enrol = (SignatureString: string, given = variables) =>
    refusal(() => POST(context({ uri, params: params(), variables: given, body: { SignatureString } })))
  t.same(await enrol('abcd'), {
    status: 400,
    messages: [['Base.PropertyValueFormatError', 'abcd', 'SignatureString']]
  })
  t.match(await enrol('01'.repeat(32)), { status: 409, messages: [['Base.ResourceAlreadyExists']] })
  const full = variable(...Array.from({ length: 10 }, (_, index) => sha256(index)))
  t.same(await enrol(hash, { [`${security}/dbx`]: full }), {
    status: 409,
    messages: [['Base.CreateLimitReachedForResource']]
  })
})

t.test('only the databases in use that may hold signatures take them', async (t) => {
  for (const id of ['db', 'dbx', 'dbt', 'dbr']) t.same(methods(params(id)), ['GET', 'POST'], id)
  for (const id of ['PK', 'KEK', 'dbDefault', 'PKDefault']) t.same(methods(params(id)), ['GET'], id)
  t.same(await refusal(() => GET(context({ uri, params: params('x') }))), missing)
})
