import { accountOwner, accountUri, forgetKey, privilegesOf, refuseBeyond } from '#data/accounts'
import { changed, event, notFound, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: ['UserConfigPriv', 'ConfigureSelf'] } as const

export const owner = accountOwner

/** For a user who has lost the key. Recovery codes go with it. */
export const POST: Post<typeof body, 'ManagerAccountId'> = ({ params, caller, state }) => {
  const account = state.get('account', params.ManagerAccountId) ?? notFound()
  refuseBeyond(caller, privilegesOf(state, account))
  const { key = '' } = state.get('secondFactor', params.ManagerAccountId) ?? {}
  const cleared = event('MgmtEvents.SecretKeyCleared', accountUri(params.ManagerAccountId), account.name, caller.user)
  return { ...changed(forgetKey(params.ManagerAccountId)), events: key === '' ? [] : [cleared] }
}
