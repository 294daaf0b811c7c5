import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('Certificate')

export const privileges = { GET: 'LoginPriv' } as const

/** The ids of the certificates that are mapped to the account. */
export const GET: Get<typeof schema, 'ManagerAccountId'> = ({ params, uri, state }) => {
  state.get('account', params.ManagerAccountId) ?? notFound()
  const mapped = state.get('userCertificate', params.ManagerAccountId) !== undefined
  return { Name: 'Certificates', ...members(uri, mapped ? ['1'] : []) }
}
