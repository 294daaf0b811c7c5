import { keyCurves, keyPairAlgorithms, keyPurposes, keyUsages } from '#data/certificates'
import { action, actionInfo, reference, resource } from '#data/resource'
import { type Get, link, object } from '#runtime/contract'

export const schema = resource(
  'CertificateService.v1_0_4',
  'Signing requests for certificates, and their replacement',
  {
    Actions: object({
      '#CertificateService.GenerateCSR': action('KeyPairAlgorithm', 'KeyCurveId', 'KeyUsage'),
      '#CertificateService.ReplaceCertificate': action('CertificateType')
    }),
    CertificateLocations: reference
  }
)

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri }) => ({
  Name: 'Certificate service',
  Actions: {
    '#CertificateService.GenerateCSR': {
      ...actionInfo('CertificateService.GenerateCSR'),
      'KeyPairAlgorithm@Redfish.AllowableValues': Object.keys(keyPairAlgorithms),
      'KeyCurveId@Redfish.AllowableValues': keyCurves,
      'KeyUsage@Redfish.AllowableValues': [...keyUsages, ...Object.values(keyPurposes)]
    },
    '#CertificateService.ReplaceCertificate': {
      ...actionInfo('CertificateService.ReplaceCertificate'),
      'CertificateType@Redfish.AllowableValues': ['PEM', 'PEMchain']
    }
  },
  CertificateLocations: link(`${uri}/CertificateLocations`)
})
