import { certificate, certificateResource } from '#data/certificates'
import { databaseMethods, openDatabase, openDatabaseToChange, withdrawn } from '#data/secure-boot'
import { type Delete, type Get, notFound, type Schema } from '#runtime/contract'

export const schema = certificate satisfies Schema

export const methods = databaseMethods('DELETE')

export const privileges = { GET: 'LoginPriv', DELETE: 'HostBIOSConfigPriv' } as const

type Params = 'ComputerSystemId' | 'SecureBootDatabaseId' | 'CertificateId'

export const GET: Get<typeof schema, Params> = (context) => {
  const { owner, data } = openDatabase(context).certificates.get(context.params.CertificateId) ?? notFound()
  return { ...certificateResource([data]), UefiSignatureOwner: owner }
}

/** Without its platform key a host is in setup mode, and secure boot is off. */
export const DELETE: Delete<Params> = (context) => {
  const opened = openDatabaseToChange(context)
  return withdrawn(context, opened, opened.certificates.get(context.params.CertificateId) ?? notFound())
}
