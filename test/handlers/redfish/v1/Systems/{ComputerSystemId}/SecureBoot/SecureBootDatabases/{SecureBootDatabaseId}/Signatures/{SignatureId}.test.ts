import { createHash } from 'node:crypto'
import t from 'tap'
import {
  DELETE,
  GET,
  methods
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Signatures/{SignatureId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { owner, security, sha256, variable, written } from '#test/handlers/keys.ts'

const id = (data: Uint8Array) => createHash('sha256').update(data).digest('hex').slice(0, 32).toUpperCase()
const params = (SignatureId: string, SecureBootDatabaseId = 'dbx') => ({
  ComputerSystemId: '1',
  SecureBootDatabaseId,
  SignatureId
})
const odd = { type: '01234567-89ab-cdef-0123-456789abcdef', owner, data: Uint8Array.of(1, 2) }
const variables = { [`${security}/dbx`]: variable(sha256(1), odd) }

t.test('a signature shows its hash, its type and its owner', async (t) => {
  t.match(GET(context({ params: params(id(sha256(1).data)), variables })), {
    SignatureString: '01'.repeat(32),
    SignatureType: 'EFI_CERT_SHA256_GUID',
    SignatureTypeRegistry: 'UEFI',
    UefiSignatureOwner: owner
  })
})

t.test('a type that UEFI does not name is its GUID', async (t) => {
  t.match(GET(context({ params: params(id(odd.data)), variables })), {
    SignatureString: '0102',
    SignatureType: odd.type
  })
})

t.test('it is removed, and the others stay', async (t) => {
  const { writes } = await DELETE(context({ params: params(id(sha256(1).data)), variables }))
  t.same(written(writes?.variable?.[`1/${security}/dbx`]?.data), [[owner, '0102']])
})

t.test('an unknown id is 404, and members of default databases cannot be removed', async (t) => {
  t.same(await refusal(() => GET(context({ params: params('1'), variables }))), missing)
  t.same(await refusal(() => DELETE(context({ params: params('1'), variables }))), missing)
  t.same(methods(params('1', 'dbxDefault')), ['GET'])
  t.same(methods(params('1')), ['GET', 'DELETE'])
})
