import { collection } from '#data/resource'
import {
  enrolled,
  hashTypes,
  openDatabase,
  openDatabaseToChange,
  secureBootDatabase,
  signatureId
} from '#data/secure-boot'
import {
  bytes,
  fail,
  type Get,
  type Methods,
  members,
  type Parameters,
  type Post,
  type Schema
} from '#runtime/contract'

export const schema = collection('Signature') satisfies Schema

export const body = {
  type: 'object',
  required: ['SignatureString'],
  properties: {
    SignatureString: { type: 'string', maxLength: 128, pattern: '^([0-9A-Fa-f]{2})+$' },
    SignatureType: { type: 'string', enum: ['EFI_CERT_SHA256_GUID', 'EFI_CERT_SHA384_GUID', 'EFI_CERT_SHA512_GUID'] },
    SignatureTypeRegistry: { type: 'string', enum: ['UEFI'] },
    UefiSignatureOwner: { type: 'string', format: 'uuid' }
  }
} as const satisfies Parameters

export const methods: Methods = ({ SecureBootDatabaseId = '' }) => {
  const { factory = false, signatures = true } = secureBootDatabase(SecureBootDatabaseId) ?? {}
  return factory || !signatures ? ['GET'] : ['GET', 'POST']
}

export const privileges = { GET: 'LoginPriv', POST: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => ({
  Name: 'Signatures',
  ...members(context.uri, [...openDatabase(context).signatures.keys()])
})

/** A hash of an image that is to be let through, or is not. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => {
  const { body, configuration } = context
  const opened = openDatabaseToChange(context)
  const { type, size } = hashTypes[body.SignatureType ?? 'EFI_CERT_SHA256_GUID']
  const data = bytes(body.SignatureString)
  if (data.length !== size) fail(400, 'Base.PropertyValueFormatError', body.SignatureString, 'SignatureString')
  if (opened.signatures.has(signatureId(data))) {
    fail(409, 'Base.ResourceAlreadyExists', 'Signature', 'SignatureString', body.SignatureString)
  }
  if (opened.signatures.size >= configuration.limits.databaseSignatures) fail(409, 'Base.CreateLimitReachedForResource')
  return enrolled(context, opened, { type, owner: body.UefiSignatureOwner, data })
}
