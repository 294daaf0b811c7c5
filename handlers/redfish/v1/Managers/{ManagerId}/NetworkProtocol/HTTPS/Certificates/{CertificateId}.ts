import { certificate, certificateResource, certificatesFrom } from '#data/certificates'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = certificate satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'CertificateId'> = ({ params, machine, ownCertificate }) => {
  machine.manager(params.ManagerId)
  if (params.CertificateId !== '1') notFound()
  return certificateResource(certificatesFrom(ownCertificate.chain))
}
