import { certificatesFrom, displayName, readCertificate } from '#data/certificates'
import { action, actionInfo, resource, text } from '#data/resource'
import { type Get, object } from '#runtime/contract'

const date = { type: 'string', format: 'date-time', nullable: true, readonly: true } as const

export const schema = resource('VendorHttpsCert.v1_0_0', 'The certificate that this service shows', {
  Actions: object({
    '#VendorHttpsCert.GenerateCSR': action(),
    '#VendorHttpsCert.ImportCertificate': action()
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
    Actions: {
      '#VendorHttpsCert.GenerateCSR': { ...actionInfo('VendorHttpsCert.GenerateCSR') },
      '#VendorHttpsCert.ImportCertificate': { ...actionInfo('VendorHttpsCert.ImportCertificate') }
    },
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
