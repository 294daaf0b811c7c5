import { entry } from '#data/board'
import { ethernetInterface, showEthernet } from '#data/ethernet'
import { hasCondition } from '#data/health'
import { portOf } from '#data/network-adapters'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = ethernetInterface satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The addresses and names of a host are its operating system's, which does not tell them. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'EthernetInterfaceId'> = ({ params, machine, state }) => {
  const { ComputerSystemId, EthernetInterfaceId } = params
  const { ethernetInterfaces } = machine.system(ComputerSystemId)
  const { name, mac, speedMbps, ...own } = entry(ethernetInterfaces, EthernetInterfaceId) ?? notFound()
  const port = portOf(machine, ComputerSystemId, EthernetInterfaceId)
  const linkUp = own.linkUp && !(port !== undefined && hasCondition(state, port, 'down'))
  const link = { linkUp, speed: linkUp ? speedMbps : undefined, fullDuplex: linkUp ? true : undefined }
  return showEthernet(name, { mac, ...link, ipv4: [], ipv6: [] }, { hostName: null, fqdn: null })
}
