import { entry } from '#data/board'
import {
  distinguishedName,
  keyCurves,
  keyPairAlgorithms,
  keyPurposes,
  keyUsages,
  requestCertificate,
  rsaBits
} from '#data/certificates'
import { fail, object, type Post } from '#runtime/contract'

const action = 'CertificateService.GenerateCSR'
const collections = /^\/redfish\/v1\/Managers\/([^/]+)\/NetworkProtocol\/HTTPS\/Certificates\/?$/

const text = { type: 'string', minLength: 1, maxLength: 64 } as const

export const body = object(
  ['CertificateCollection', 'City', 'CommonName', 'Country', 'Organization', 'OrganizationalUnit', 'State'],
  {
    ...distinguishedName,
    AlternativeNames: {
      type: 'array',
      items: { type: 'string', pattern: '^[!-~]+$', maxLength: 253 },
      maxItems: 32
    },
    CertificateCollection: object(['@odata.id'], { '@odata.id': { type: 'string', format: 'uri-reference' } }),
    Email: { type: 'string', pattern: '^[!-~]+$', maxLength: 255 },
    KeyBitLength: { type: 'integer' },
    KeyCurveId: { type: 'string', enum: keyCurves },
    KeyPairAlgorithm: { type: 'string', enum: Object.keys(keyPairAlgorithms) },
    KeyUsage: {
      type: 'array',
      items: { type: 'string', enum: [...keyUsages, ...Object.values(keyPurposes)] },
      maxItems: 16
    },
    Organization: text,
    OrganizationalUnit: text
  }
)

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** The key of the certificate in use stays in use until a certificate for the new one is put in its place. */
export const POST: Post<typeof body> = (context) => {
  const { body, machine } = context
  const collection = body.CertificateCollection['@odata.id']
  const [, manager = ''] = collections.exec(collection) ?? []
  if (entry(machine.board.managers, decodeURIComponent(manager)) === undefined) {
    fail(400, 'Base.ActionParameterValueError', 'CertificateCollection', action)
  }
  const kind = keyPairAlgorithms[body.KeyPairAlgorithm ?? 'TPM_ALG_ECDH'] ?? 'EC'
  const { KeyBitLength: bits, KeyCurveId: curve } = body
  const lengths: readonly number[] = kind === 'RSA' ? rsaBits : [256]
  if (bits !== undefined && !lengths.includes(bits)) {
    fail(400, 'Base.ActionParameterValueNotInList', String(bits), 'KeyBitLength', action)
  }
  if (curve !== undefined && kind === 'RSA') fail(400, 'Base.ActionParameterNotSupported', 'KeyCurveId', action)
  const wish = {
    subject: {
      country: body.Country,
      state: body.State,
      city: body.City,
      organization: body.Organization,
      organizationalUnit: body.OrganizationalUnit,
      commonName: body.CommonName,
      email: body.Email
    },
    alternativeNames: body.AlternativeNames ?? [],
    kind,
    bits,
    keyUsage: body.KeyUsage
  }
  return requestCertificate(context, wish, collection.replace(/\/$/, ''), action)
}
