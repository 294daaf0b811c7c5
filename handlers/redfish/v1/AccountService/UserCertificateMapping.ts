import { accountNamed, privilegesOf, refuseBeyond } from '#data/accounts'
import { certificateFrom, fingerprint, longestCertificate, pem } from '#data/certificates'
import { collection } from '#data/resource'
import { created, event, fail, type Get, members, notFound, object, type Post } from '#runtime/contract'

export const schema = collection('VendorUserCertificateMapping')

/** `Fingerprint` is the certificate itself, as PEM. */
export const body = object(['Fingerprint', 'UserName'], {
  Fingerprint: { type: 'string', maxLength: longestCertificate },
  UserName: { type: 'string', minLength: 1, maxLength: 256 }
})

export const privileges = { GET: 'LoginPriv', POST: 'UserConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state }) => ({
  Name: 'User certificate mappings',
  ...members(uri, state.keys('userCertificate'))
})

/** A user has one certificate, and a certificate one user, who may do no more than the caller. */
export const POST: Post<typeof body> = ({ uri, body, caller, state }) => {
  const { UserName: user, Fingerprint } = body
  const account = accountNamed(state, user) ?? fail(400, 'Base.PropertyValueIncorrect', 'UserName', user)
  refuseBeyond(caller, privilegesOf(state, state.get('account', account) ?? notFound()))
  const bytes = certificateFrom(Fingerprint)
  const text = pem('CERTIFICATE', bytes)
  const known = state.keys('userCertificate')
  if (known.includes(account)) fail(409, 'Base.ResourceAlreadyExists', 'UserCertificateMapping', 'UserName', user)
  if (known.some((id) => state.get('userCertificate', id)?.pem === text)) {
    fail(409, 'Base.ResourceAlreadyExists', 'UserCertificateMapping', 'Fingerprint', fingerprint(bytes))
  }
  const location = `${uri}/${encodeURIComponent(account)}`
  return {
    ...created(location, { userCertificate: { [account]: { pem: text } } }),
    events: [event('MgmtEvents.UserCertificateMapped', location, user)]
  }
}
