import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Certificate')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  machine.manager(params.ManagerId)
  return { Name: 'Certificates of the service', ...members(uri, ['1']) }
}
