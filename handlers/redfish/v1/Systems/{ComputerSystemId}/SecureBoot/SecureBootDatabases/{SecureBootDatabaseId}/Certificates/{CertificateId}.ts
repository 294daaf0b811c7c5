import { certificate, secureBootDatabase, signatureListBytes, withoutSignature } from '#data'
import {
  certificateResource,
  changed,
  type Delete,
  databasesChanged,
  type Get,
  type Methods,
  notFound,
  openDatabase,
  openDatabaseToChange,
  type Schema,
  setDatabases
} from '#runtime'

export const schema = certificate satisfies Schema

export const methods: Methods = ({ SecureBootDatabaseId = '' }) =>
  secureBootDatabase(SecureBootDatabaseId)?.factory ? ['GET'] : ['GET', 'DELETE']

export const privileges = { GET: 'LoginPriv', DELETE: 'HostBIOSConfigPriv' } as const

type Params = 'ComputerSystemId' | 'SecureBootDatabaseId' | 'CertificateId'

export const GET: Get<typeof schema, Params> = (context) => {
  const { owner, data } = openDatabase(context).certificates.get(context.params.CertificateId) ?? notFound()
  return { ...certificateResource([data]), UefiSignatureOwner: owner }
}

/** Without its platform key a host is in setup mode, and secure boot is off. */
export const DELETE: Delete<Params> = (context) => {
  const { params, machine } = context
  const { database, lists, certificates } = openDatabaseToChange(context)
  const enrolled = certificates.get(params.CertificateId) ?? notFound()
  const contents = { [database.id]: signatureListBytes(withoutSignature(lists, enrolled)) }
  const system = params.ComputerSystemId
  return { ...changed(setDatabases(machine, system, contents)), events: databasesChanged(system, contents) }
}
