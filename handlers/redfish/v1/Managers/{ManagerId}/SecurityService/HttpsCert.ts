import { certificatesFrom, displayName, readCertificate } from '#data/certificates'
import { actions, resource, text } from '#data/resource'
import { type Get, object } from '#runtime/contract'
import { body as signingRequest } from './HttpsCert/Actions/VendorHttpsCert.GenerateCSR.ts'
import { body as replacement } from './HttpsCert/Actions/VendorHttpsCert.ImportCertificate.ts'

const date = { type: 'string', format: 'date-time', nullable: true, readonly: true } as const

export const schema = resource('VendorHttpsCert.v1_0_0', 'The certificate that this service shows', {
  Actions: actions({
    'VendorHttpsCert.GenerateCSR': signingRequest,
    'VendorHttpsCert.ImportCertificate': replacement
  }),
  CertificateSigningRequest: text,
  X509CertificateInformation: object({
    Issuer: text,
    SerialNumber: text,
    Subject: text,
    ValidNotAfter: date,
    ValidNotBefore: date
  })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, machine, ownCertificate }) => {
  machine.manager(params.ManagerId)
  const [own] = certificatesFrom(ownCertificate.chain)
  const read = readCertificate(own)
  return {
    Name: 'Certificate of the service',
    CertificateSigningRequest: ownCertificate.request ?? null,
    X509CertificateInformation: {
      Issuer: displayName(read?.issuer ?? []),
      SerialNumber: read?.serialNumber ?? null,
      Subject: displayName(read?.subject ?? []),
      ValidNotAfter: read?.notAfter?.toISOString() ?? null,
      ValidNotBefore: read?.notBefore?.toISOString() ?? null
    }
  }
}
