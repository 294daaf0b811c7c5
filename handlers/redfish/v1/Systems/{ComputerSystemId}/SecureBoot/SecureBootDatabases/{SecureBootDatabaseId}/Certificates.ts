import { certificateFrom, fingerprint, pemCertificate } from '#data/certificates'
import { collection } from '#data/resource'
import { databaseMethods, enrolled, openDatabase, openDatabaseToChange, x509Type } from '#data/secure-boot'
import { type Get, members, type Parameters, type Post } from '#runtime/contract'

export const schema = collection('Certificate')

export const body = {
  ...pemCertificate,
  properties: { ...pemCertificate.properties, UefiSignatureOwner: { type: 'string', format: 'uuid' } }
} as const satisfies Parameters

export const methods = databaseMethods('POST')

export const privileges = { GET: 'LoginPriv', POST: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => ({
  Name: 'Certificates',
  ...members(context.uri, [...openDatabase(context).certificates.keys()])
})

export const POST: Post<typeof body, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => {
  const { body, configuration } = context
  const opened = openDatabaseToChange(context)
  const data = certificateFrom(body.CertificateString)
  const most = opened.database.single ? 1 : configuration.limits.databaseCertificates
  const named = ['Certificate', 'Fingerprint', fingerprint(data)] as const
  const certificates = { kind: 'certificates', most, named } as const
  return enrolled(context, opened, certificates, { type: x509Type, owner: body.UefiSignatureOwner, data })
}
