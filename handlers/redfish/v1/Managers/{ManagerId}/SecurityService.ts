import { reference, resource } from '#data/resource'
import { type Get, link, object } from '#runtime/contract'

export const schema = resource('VendorSecurityService.v1_0_0', 'Certificates and logins of the controller', {
  Links: object({ CertificateAuthentication: reference, HttpsCert: reference })
})

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
