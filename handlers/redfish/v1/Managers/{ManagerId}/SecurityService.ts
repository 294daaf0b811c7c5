import { reference, resource } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#VendorSecurityService.v1_0_0.VendorSecurityService',
  description: 'Certificates and logins of the controller',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Links: { type: 'object', properties: { CertificateAuthentication: reference, HttpsCert: reference } }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  machine.manager(params.ManagerId)
  return {
    Name: 'Security service',
    Links: {
      CertificateAuthentication: link(`${uri}/CertificateAuthentication`),
      HttpsCert: link(`${uri}/HttpsCert`)
    }
  }
}
