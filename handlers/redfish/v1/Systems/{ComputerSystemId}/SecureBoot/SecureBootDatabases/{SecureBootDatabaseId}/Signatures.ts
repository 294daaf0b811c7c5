import { collection } from '#data/resource'
import {
  databaseMethods,
  enrolled,
  hashTypes,
  openDatabase,
  openDatabaseToChange,
  secureBootDatabase
} from '#data/secure-boot'
import { bytes, fail, type Get, type Methods, members, object, type Post } from '#runtime/contract'

export const schema = collection('Signature')

export const body = object(['SignatureString'], {
  SignatureString: { type: 'string', maxLength: 128, pattern: '^([0-9A-Fa-f]{2})+$' },
  SignatureType: { type: 'string', enum: ['EFI_CERT_SHA256_GUID', 'EFI_CERT_SHA384_GUID', 'EFI_CERT_SHA512_GUID'] },
  SignatureTypeRegistry: { type: 'string', enum: ['UEFI'] },
  UefiSignatureOwner: { type: 'string', format: 'uuid' }
})

export const methods: Methods = (params) =>
  secureBootDatabase(params.SecureBootDatabaseId ?? '')?.signatures === false
    ? ['GET']
    : databaseMethods('POST')(params)

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
  const named = ['Signature', 'SignatureString', body.SignatureString] as const
  const signatures = { kind: 'signatures', most: configuration.limits.databaseSignatures, named } as const
  return enrolled(context, opened, signatures, { type, owner: body.UefiSignatureOwner, data })
}
