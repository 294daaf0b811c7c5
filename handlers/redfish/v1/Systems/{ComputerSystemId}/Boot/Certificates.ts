import { bootCertificates, withBootCertificate } from '#data/boot'
import { certificateFrom, fingerprint, pemCertificate } from '#data/certificates'
import { collection } from '#data/resource'
import { signatureId } from '#data/secure-boot'
import { ofVariables } from '#data/variables'
import { created, fail, type Get, members, type Parameters, type Post } from '#runtime/contract'

export const schema = collection('Certificate')

export const body = pemCertificate satisfies Parameters

export const exists = ofVariables

export const privileges = { GET: 'LoginPriv', POST: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => ({
  Name: 'Certificate authorities of HTTPS boot',
  ...members(uri, [...bootCertificates(machine, params.ComputerSystemId).keys()])
})

export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, uri, body, machine, configuration }) => {
  const system = params.ComputerSystemId
  const data = certificateFrom(body.CertificateString)
  const present = bootCertificates(machine, system)
  const id = signatureId(data)
  if (present.has(id)) fail(409, 'Base.ResourceAlreadyExists', 'Certificate', 'Fingerprint', fingerprint(data))
  if (present.size >= configuration.limits.databaseCertificates) fail(409, 'Base.CreateLimitReachedForResource')
  return created(`${uri}/${id}`, withBootCertificate(machine, system, data))
}
