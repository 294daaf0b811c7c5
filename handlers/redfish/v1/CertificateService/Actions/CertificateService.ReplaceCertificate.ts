import { entry } from '#data/board'
import { longestCertificate, replaceCertificate } from '#data/certificates'
import { fail, object, type Post } from '#runtime/contract'

const action = 'CertificateService.ReplaceCertificate'
const certificates = /^\/redfish\/v1\/Managers\/([^/]+)\/NetworkProtocol\/HTTPS\/Certificates\/1\/?$/

export const body = object(['CertificateString', 'CertificateType', 'CertificateUri'], {
  CertificateString: { type: 'string', maxLength: longestCertificate },
  CertificateType: { type: 'string', enum: ['PEM', 'PEMchain'] },
  CertificateUri: object(['@odata.id'], { '@odata.id': { type: 'string', format: 'uri-reference' } })
})

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body> = (context) => {
  const { body, machine } = context
  const uri = body.CertificateUri['@odata.id']
  const [, manager = ''] = certificates.exec(uri) ?? []
  if (entry(machine.board.managers, decodeURIComponent(manager)) === undefined) {
    fail(400, 'Base.ActionParameterValueError', 'CertificateUri', action)
  }
  return replaceCertificate(context, body.CertificateString, uri.replace(/\/$/, ''))
}
