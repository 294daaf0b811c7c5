import { certificateFrom, fingerprint } from '#data/certificates'
import { collection } from '#data/resource'
import {
  enrolled,
  openDatabase,
  openDatabaseToChange,
  secureBootDatabase,
  signatureId,
  x509Type
} from '#data/secure-boot'
import { fail, type Get, type Methods, members, type Parameters, type Post, type Schema } from '#runtime/contract'

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
  const { body, configuration } = context
  const opened = openDatabaseToChange(context)
  const { database, certificates } = opened
  const data = certificateFrom(body.CertificateString)
  if (certificates.has(signatureId(data))) {
    fail(409, 'Base.ResourceAlreadyExists', 'Certificate', 'Fingerprint', fingerprint(data))
  }
  const most = database.single ? 1 : configuration.limits.databaseCertificates
  if (certificates.size >= most) fail(409, 'Base.CreateLimitReachedForResource')
  return enrolled(context, opened, { type: x509Type, owner: body.UefiSignatureOwner, data })
}
