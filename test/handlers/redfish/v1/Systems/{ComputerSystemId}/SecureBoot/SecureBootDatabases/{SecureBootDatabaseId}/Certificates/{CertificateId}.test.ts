import { createHash } from 'node:crypto'
import t from 'tap'
import {
  DELETE,
  GET,
  methods
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Certificates/{CertificateId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import {
  certificate,
  certificateId,
  enable,
  global,
  owner,
  security,
  sha256,
  variable,
  written,
  x509
} from '#test/handlers/keys.ts'

const params = (SecureBootDatabaseId: string, CertificateId = certificateId) => ({
  ComputerSystemId: '1',
  SecureBootDatabaseId,
  CertificateId
})
const variables = { [`${security}/db`]: variable(sha256(1), x509()), [`${global}/PK`]: variable(x509()) }

t.test('a certificate shows its fields, and its owner', async (t) => {
  t.match(GET(context({ params: params('db'), variables })), {
    CertificateString: certificate,
    CertificateType: 'PEM',
    Fingerprint: /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/,
    FingerprintHashAlgorithm: 'TPM_ALG_SHA256',
    Subject: { CommonName: 'Image signing', DisplayString: 'CN=Image signing' },
    Issuer: { CommonName: 'Image signing' },
    SerialNumber: /^([0-9A-F]{2}:)+[0-9A-F]{2}$/,
    UefiSignatureOwner: owner,
    ValidNotBefore: /^\d{4}-\d\d-\d\dT/,
    ValidNotAfter: /^\d{4}-\d\d-\d\dT/
  })
})

t.test('one that cannot be read shows its bytes', async (t) => {
  const some = { [`${security}/db`]: variable(x509(Uint8Array.of(0x30, 1))) }
  const id = createHash('sha256').update(Uint8Array.of(0x30, 1)).digest('hex').slice(0, 32).toUpperCase()
  t.match(GET(context({ params: params('db', id), variables: some })), {
    CertificateString: '-----BEGIN CERTIFICATE-----\nMAE=\n-----END CERTIFICATE-----\n',
    Subject: null,
    Issuer: null,
    SerialNumber: null,
    ValidNotBefore: null
  })
})

t.test('it is removed, and the others stay', async (t) => {
  const { writes } = await DELETE(context({ params: params('db'), variables }))
  t.same(written(writes?.variable?.[`1/${security}/db`]?.data), [[owner, '01'.repeat(32)]])
})

t.test('the platform key takes secure boot with it', async (t) => {
  t.same((await DELETE(context({ params: params('PK'), variables }))).writes, {
    variable: {
      [`1/${global}/PK`]: { attributes: 0x27, data: null },
      [`1/${enable}`]: { attributes: 3, data: '00' }
    }
  })
})

t.test('an unknown id is 404', async (t) => {
  t.same(await refusal(() => GET(context({ params: params('KEK'), variables }))), missing)
  t.same(await refusal(() => DELETE(context({ params: params('KEK'), variables }))), missing)
})

t.test('those of default databases stay', async (t) => {
  t.same(methods(params('PKDefault')), ['GET'])
  t.same(methods(params('PK')), ['GET', 'DELETE'])
})
