import { certificate, certificateResource, certificatesFrom } from '#data/certificates'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = certificate satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerAccountId' | 'CertificateId'> = ({ params, state }) => {
  if (params.CertificateId !== '1') notFound()
  const { pem } = state.get('userCertificate', params.ManagerAccountId) ?? notFound()
  return certificateResource(certificatesFrom(pem))
}
