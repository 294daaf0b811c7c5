import { entry, ethernetInterface, showEthernet } from '#data'
import { type Get, notFound, type Schema } from '#runtime'

export const schema = ethernetInterface satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'EthernetInterfaceId'> = ({ params, machine }) => {
  const system = entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  return showEthernet(entry(system.ethernetInterfaces, params.EthernetInterfaceId) ?? notFound())
}
