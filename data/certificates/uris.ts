import { accountUri } from '#data/accounts'
import { managerUri } from '#data/manager'

/** The canonical URIs, without a trailing slash: the service's own certificates, and each one that it knows. */
export const ownCertificatesUri = (manager: string) => `${managerUri(manager)}/NetworkProtocol/HTTPS/Certificates`
export const ownCertificateUri = (manager: string) => `${ownCertificatesUri(manager)}/1`
export const userCertificateUri = (account: string) => `${accountUri(account)}/Certificates/1`
export const trustedCertificatesUri = (manager: string) =>
  `${managerUri(manager)}/SecurityService/CertificateAuthentication/Certificates`
export const trustedCertificateUri = (manager: string, id: string) => `${trustedCertificatesUri(manager)}/${id}`
