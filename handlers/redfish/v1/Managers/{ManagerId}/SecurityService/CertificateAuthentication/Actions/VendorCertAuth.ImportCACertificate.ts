import {
  certificateFrom,
  certificateId,
  displayName,
  fingerprint,
  isAuthority,
  longestCertificate,
  pem,
  readCertificate
} from '#data/certificates'
import { changed, event, fail, object, type Post } from '#runtime/contract'

const action = 'VendorCertAuth.ImportCACertificate'

export const body = object(['Certificate'], {
  Action: { type: 'string', maxLength: 64 },
  Certificate: { type: 'string', maxLength: longestCertificate }
})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Clients repeat the name of the action in the body, with or without its type. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, uri, body, machine, state, configuration, now }) => {
  machine.manager(params.ManagerId)
  const name = body.Action?.replace(/^#?(VendorCertAuth\.)?/, '') ?? 'ImportCACertificate'
  if (name !== 'ImportCACertificate') fail(400, 'Base.ActionParameterValueError', 'Action', action)
  const bytes = certificateFrom(body.Certificate)
  const refuse = (reason: string) => fail(400, 'Mgmt.CertificateNotAccepted', reason)
  const read = readCertificate(bytes) ?? refuse('it cannot be read')
  if (!isAuthority(read)) refuse('it is not that of a certification authority')
  if (read.notUnderstood) refuse('it has a critical extension that the service does not understand')
  if (read.notAfter === undefined || read.notAfter < now()) refuse('it has expired')
  const id = certificateId(bytes)
  const known = state.keys('trustedCertificate')
  if (known.includes(id)) fail(409, 'Base.ResourceAlreadyExists', 'Certificate', 'Fingerprint', fingerprint(bytes))
  if (known.length >= configuration.limits.trustedCertificates) fail(409, 'Base.CreateLimitReachedForResource')
  const origin = `${uri.slice(0, uri.indexOf('/Actions/'))}/Certificates/${id}`
  return {
    ...changed({ trustedCertificate: { [id]: { pem: pem('CERTIFICATE', bytes) } } }),
    events: [event('MgmtEvents.CACertificateImported', origin, displayName(read.subject))]
  }
}
