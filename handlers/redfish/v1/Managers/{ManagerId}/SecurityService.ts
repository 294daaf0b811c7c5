import { child, resource } from '#data/resource'
import { constant, type Get, object } from '#runtime/contract'

export const schema = resource('VendorSecurityService.v1_0_0', 'Certificates and logins of the controller', {
  Links: constant(
    object({ CertificateAuthentication: child('CertificateAuthentication'), HttpsCert: child('HttpsCert') }),
    {}
  )
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, machine }) => {
  machine.manager(params.ManagerId)
  return {
    Name: 'Security service'
  }
}
