import { references, resource } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#CertificateLocations.v1_0_3.CertificateLocations',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Links: {
      type: 'object',
      properties: { Certificates: references, 'Certificates@odata.count': { type: 'integer', readonly: true } }
    }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The certificates that the service itself goes by; those of the host's secure boot are the host's. */
export const GET: Get<typeof schema> = ({ machine, state }) => {
  const managers = Object.keys(machine.board.managers).map((id) => `/redfish/v1/Managers/${id}`)
  const authorities = state.keys('trustedCertificate')
  const users = state.keys('userCertificate')
  const certificates = [
    ...managers.map((manager) => link(`${manager}/NetworkProtocol/HTTPS/Certificates/1`)),
    ...managers.flatMap((manager) =>
      authorities.map((id) => link(`${manager}/SecurityService/CertificateAuthentication/Certificates/${id}`))
    ),
    ...users.map((user) => link(`/redfish/v1/AccountService/Accounts/${encodeURIComponent(user)}/Certificates/1`))
  ]
  return {
    Name: 'Certificate locations',
    Links: { Certificates: certificates, 'Certificates@odata.count': certificates.length }
  }
}
