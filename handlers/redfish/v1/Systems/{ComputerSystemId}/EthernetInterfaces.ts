import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('EthernetInterface')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const { ethernetInterfaces } = machine.system(params.ComputerSystemId)
  return { Name: 'Network ports of the host', ...members(uri, Object.keys(ethernetInterfaces)) }
}
