import { bootCertificates, withoutBootCertificate } from '#data/boot'
import { certificate, certificateResource } from '#data/certificates'
import { type Delete, deferred, type Get, notFound, type Schema } from '#runtime/contract'

export const schema = certificate satisfies Schema

export const privileges = { GET: 'LoginPriv', DELETE: 'HostBIOSConfigPriv' } as const

type Path = 'ComputerSystemId' | 'CertificateId'

export const GET: Get<typeof schema, Path> = ({ params, machine }) => {
  const { data } = bootCertificates(machine, params.ComputerSystemId).get(params.CertificateId) ?? notFound()
  return certificateResource([data])
}

/** Firmware trusts it until the next reset of the host. */
export const DELETE: Delete<Path> = ({ params, machine }) => {
  const certificates = bootCertificates(machine, params.ComputerSystemId)
  const certificate = certificates.get(params.CertificateId) ?? notFound()
  return deferred(withoutBootCertificate(machine, params.ComputerSystemId, certificate))
}
