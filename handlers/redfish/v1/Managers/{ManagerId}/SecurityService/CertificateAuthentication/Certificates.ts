import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Certificate')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine, state }) => {
  machine.manager(params.ManagerId)
  return { Name: 'Certification authorities', ...members(uri, state.keys('trustedCertificate')) }
}
