import { collection, secureBootDatabase, signatureListBytes, signatureOwner, withSignature, x509Type } from '#data'
import {
  certificateFrom,
  created,
  databasesChanged,
  fail,
  fingerprint,
  type Get,
  type Methods,
  members,
  openDatabase,
  openDatabaseToChange,
  type Parameters,
  type Post,
  type Schema,
  setDatabases,
  signatureId
} from '#runtime'

export const schema = collection('Certificate') satisfies Schema

export const body = {
  type: 'object',
  required: ['CertificateString', 'CertificateType'],
  properties: {
    CertificateString: { type: 'string', maxLength: 65_536 },
    CertificateType: { type: 'string', enum: ['PEM'] },
    UefiSignatureOwner: { type: 'string', format: 'uuid' }
  }
} as const satisfies Parameters

export const methods: Methods = ({ SecureBootDatabaseId = '' }) =>
  secureBootDatabase(SecureBootDatabaseId)?.factory ? ['GET'] : ['GET', 'POST']

export const privileges = { GET: 'LoginPriv', POST: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => ({
  Name: 'Certificates',
  ...members(context.uri, [...openDatabase(context).certificates.keys()])
})

export const POST: Post<typeof body, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => {
  const { params, uri, body, machine, configuration } = context
  const { database, lists, certificates } = openDatabaseToChange(context)
  const data = certificateFrom(body.CertificateString)
  const id = signatureId(data)
  if (certificates.has(id)) {
    fail(409, 'Base.ResourceAlreadyExists', 'Certificate', 'Fingerprint', fingerprint(data))
  }
  const most = database.single ? 1 : configuration.limits.databaseCertificates
  if (certificates.size >= most) fail(409, 'Base.CreateLimitReachedForResource')
  const owner = (body.UefiSignatureOwner ?? signatureOwner).toLowerCase()
  const contents = { [database.id]: signatureListBytes(withSignature(lists, { type: x509Type, owner, data })) }
  const system = params.ComputerSystemId
  const enrolled = created(`${uri}/${id}`, setDatabases(machine, system, contents))
  return { ...enrolled, events: databasesChanged(system, contents) }
}
