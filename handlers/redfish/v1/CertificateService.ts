import { keyCurves, keyPairAlgorithms, keyPurposes, keyUsages } from '#data/certificates'
import { action, actionInfo, reference, resource } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#CertificateService.v1_0_4.CertificateService',
  description: 'Signing requests for certificates, and their replacement',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Actions: {
      type: 'object',
      properties: {
        '#CertificateService.GenerateCSR': action('KeyPairAlgorithm', 'KeyCurveId', 'KeyUsage'),
        '#CertificateService.ReplaceCertificate': action('CertificateType')
      }
    },
    CertificateLocations: reference
  }
} as const satisfies Schema

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
