import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Storage')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const { storage } = machine.system(params.ComputerSystemId)
  return { Name: 'Storage', ...members(uri, Object.keys(storage)) }
}
