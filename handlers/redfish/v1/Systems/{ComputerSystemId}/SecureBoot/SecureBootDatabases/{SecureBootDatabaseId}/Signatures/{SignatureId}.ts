import { resource, text } from '#data/resource'
import { databaseMethods, openDatabase, openDatabaseToChange, signatureTypes, withdrawn } from '#data/secure-boot'
import { type Delete, type Get, hex, notFound } from '#runtime/contract'

export const schema = resource(
  'Signature.v1_0_3',
  'A digest in a key database',
  ['SignatureString', 'SignatureType', 'SignatureTypeRegistry'],
  {
    SignatureString: text,
    SignatureType: text,
    SignatureTypeRegistry: { type: 'string', enum: ['UEFI'], nullable: true, readonly: true },
    UefiSignatureOwner: { type: 'string', format: 'uuid', nullable: true, readonly: true }
  }
)

export const methods = databaseMethods('DELETE')

export const privileges = { GET: 'LoginPriv', DELETE: 'HostBIOSConfigPriv' } as const

type Params = 'ComputerSystemId' | 'SecureBootDatabaseId' | 'SignatureId'

/** A kind of signature that the standard does not name is shown as its GUID. */
export const GET: Get<typeof schema, Params> = (context) => {
  const { type, owner, data } = openDatabase(context).signatures.get(context.params.SignatureId) ?? notFound()
  return {
    Name: 'Signature',
    SignatureString: hex(data).toUpperCase(),
    SignatureType: signatureTypes[type] ?? type,
    SignatureTypeRegistry: 'UEFI',
    UefiSignatureOwner: owner
  }
}

export const DELETE: Delete<Params> = (context) => {
  const opened = openDatabaseToChange(context)
  return withdrawn(context, opened, opened.signatures.get(context.params.SignatureId) ?? notFound())
}
