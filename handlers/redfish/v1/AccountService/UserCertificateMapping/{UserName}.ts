import { accountUri, privilegesOf, refuseBeyond } from '#data/accounts'
import { certificateFrom, fingerprint, userCertificateUri } from '#data/certificates'
import { reference, resource } from '#data/resource'
import { type Context, changed, type Delete, event, type Get, link, notFound, object } from '#runtime/contract'

export const schema = resource('VendorUserCertificateMapping.v1_0_0', 'The certificate that a user logs in with', {
  Fingerprint: { type: 'string', readonly: true },
  UserName: { type: 'string', readonly: true },
  Links: object({ Account: reference, Certificate: reference })
})

export const privileges = { GET: 'LoginPriv', DELETE: 'UserConfigPriv' } as const

/** The SHA-256 of the certificate; the certificate is a resource of the account, whose id is in the path. */
export const GET: Get<typeof schema, 'UserName'> = (context) => {
  const { UserName: account } = context.params
  return {
    Name: 'User certificate mapping',
    Fingerprint: fingerprint(certificateFrom(find(context).pem)),
    UserName: userOf(context),
    Links: { Account: link(accountUri(account)), Certificate: link(userCertificateUri(account)) }
  }
}

export const DELETE: Delete<'UserName'> = (context) => {
  find(context)
  const { params, uri, caller, state } = context
  const account = state.get('account', params.UserName)
  if (account !== undefined) refuseBeyond(caller, privilegesOf(state, account))
  return {
    ...changed({ userCertificate: { [params.UserName]: null } }),
    events: [event('MgmtEvents.UserCertificateUnmapped', uri, userOf(context))]
  }
}

function userOf({ params, state }: Context<'UserName'>): string {
  return state.get('account', params.UserName)?.name ?? params.UserName
}

function find({ params, state }: Context<'UserName'>) {
  return state.get('userCertificate', params.UserName) ?? notFound()
}
