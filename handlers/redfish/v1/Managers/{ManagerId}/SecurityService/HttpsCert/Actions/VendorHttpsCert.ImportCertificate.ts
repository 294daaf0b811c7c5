import { longestCertificate, ownCertificateUri, replaceCertificate } from '#data/certificates'
import { object, type Post } from '#runtime/contract'

export const body = object(['Certificate'], { Certificate: { type: 'string', maxLength: longestCertificate } })

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = (context) => {
  const { params, body, machine } = context
  machine.manager(params.ManagerId)
  const uri = ownCertificateUri(params.ManagerId)
  return replaceCertificate(context, body.Certificate, uri)
}
