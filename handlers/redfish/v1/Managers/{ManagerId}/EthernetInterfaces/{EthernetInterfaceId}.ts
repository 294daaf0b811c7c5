import { entry } from '#data/board'
import { ethernetInterface, showEthernet } from '#data/ethernet'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = ethernetInterface satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'EthernetInterfaceId'> = ({ params, machine }) => {
  const { hostName, domain, ethernetInterfaces } = machine.manager(params.ManagerId)
  const { name } = entry(ethernetInterfaces, params.EthernetInterfaceId) ?? notFound()
  const port = machine.port(params.ManagerId, params.EthernetInterfaceId)
  return showEthernet(name, port, hostName, `${hostName}.${domain}`)
}
