import { certificate, certificateResource, certificatesFrom, displayName, readCertificate } from '#data/certificates'
import { type Context, changed, type Delete, event, type Get, notFound, type Schema } from '#runtime/contract'

export const schema = certificate satisfies Schema

export const privileges = { GET: 'LoginPriv', DELETE: 'MgmtConfigPriv' } as const

type Params = 'ManagerId' | 'CertificateId'

export const GET: Get<typeof schema, Params> = (context) => certificateResource(find(context))

/** A user who logged in by a certificate that it signed needs other credentials from the next request on. */
export const DELETE: Delete<Params> = (context) => {
  const [bytes] = find(context)
  const { params, uri } = context
  const name = displayName(readCertificate(bytes)?.subject ?? [])
  return {
    ...changed({ trustedCertificate: { [params.CertificateId]: null } }),
    events: [event('MgmtEvents.CACertificateRemoved', uri, name)]
  }
}

function find({ params, machine, state }: Context<Params>) {
  machine.manager(params.ManagerId)
  const { pem } = state.get('trustedCertificate', params.CertificateId) ?? notFound()
  return certificatesFrom(pem)
}
