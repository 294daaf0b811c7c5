import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Port')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  const { ethernetInterfaces } = machine.manager(params.ManagerId)
  return { Name: 'Network ports of the controller alone', ...members(uri, Object.keys(ethernetInterfaces)) }
}
