import { entry } from '#data/board'
import { longestCertificate, replaceCertificate } from '#data/certificates'
import { notFound, type Parameters, type Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['Certificate'],
  properties: { Certificate: { type: 'string', maxLength: longestCertificate } }
} as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = (context) => {
  const { params, body, machine } = context
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  const uri = `/redfish/v1/Managers/${params.ManagerId}/NetworkProtocol/HTTPS/Certificates/1`
  return replaceCertificate(context, body.Certificate, uri)
}
