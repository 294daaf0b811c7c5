import { longestCertificate, ownCertificateUri, replaceCertificate } from '#data/certificates'
import type { Parameters, Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['Certificate'],
  properties: { Certificate: { type: 'string', maxLength: longestCertificate } }
} as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = (context) => {
  const { params, body, machine } = context
  machine.manager(params.ManagerId)
  const uri = ownCertificateUri(params.ManagerId)
  return replaceCertificate(context, body.Certificate, uri)
}
