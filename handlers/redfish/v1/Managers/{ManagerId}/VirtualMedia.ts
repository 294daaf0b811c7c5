import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('VirtualMedia')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  const { virtualMedia } = machine.manager(params.ManagerId)
  return { Name: 'Virtual media', ...members(uri, Object.keys(virtualMedia)) }
}
