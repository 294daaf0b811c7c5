import { actions, child, resource } from '#data/resource'
import type { Get } from '#runtime/contract'
import { body as signingRequest } from './CertificateService/Actions/CertificateService.GenerateCSR.ts'
import { body as replacement } from './CertificateService/Actions/CertificateService.ReplaceCertificate.ts'

export const schema = resource(
  'CertificateService.v1_2_1',
  'Signing requests for certificates, and their replacement',
  {
    Actions: actions({
      'CertificateService.GenerateCSR': signingRequest,
      'CertificateService.ReplaceCertificate': replacement
    }),
    CertificateEnrollments: child('CertificateEnrollments'),
    CertificateLocations: child('CertificateLocations')
  }
)

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = () => ({
  Name: 'Certificate service'
})
