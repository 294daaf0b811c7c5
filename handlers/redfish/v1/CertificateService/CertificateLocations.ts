import { ownCertificateUri, trustedCertificateUri, userCertificateUri } from '#data/certificates'
import { references, resource } from '#data/resource'
import { type Get, link, object } from '#runtime/contract'

export const schema = resource('CertificateLocations.v1_0_3', 'Where the certificates of this service are', {
  Links: object({ Certificates: references, 'Certificates@odata.count': { type: 'integer', readonly: true } })
})

export const privileges = { GET: 'LoginPriv' } as const

/** The certificates that the service itself goes by; those of the host's secure boot are the host's. */
export const GET: Get<typeof schema> = ({ machine, state }) => {
  const managers = Object.keys(machine.board.managers)
  const authorities = state.keys('trustedCertificate')
  const users = state.keys('userCertificate')
  const certificates = [
    ...managers.map((manager) => link(ownCertificateUri(manager))),
    ...managers.flatMap((manager) => authorities.map((id) => link(trustedCertificateUri(manager, id)))),
    ...users.map((user) => link(userCertificateUri(user)))
  ]
  return {
    Name: 'Certificate locations',
    Links: { Certificates: certificates, 'Certificates@odata.count': certificates.length }
  }
}
