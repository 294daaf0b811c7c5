import { entry } from '#data/board'
import { ethernetInterface, showEthernet } from '#data/ethernet'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = ethernetInterface satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The addresses and names of a host are its operating system's, which does not tell them. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'EthernetInterfaceId'> = ({ params, machine }) => {
  const system = machine.system(params.ComputerSystemId)
  const { name, mac, linkUp, speedMbps } = entry(system.ethernetInterfaces, params.EthernetInterfaceId) ?? notFound()
  const link = { linkUp, speed: linkUp ? speedMbps : undefined, fullDuplex: linkUp ? true : undefined }
  return showEthernet(name, { mac, ...link, ipv4: [], ipv6: [] }, { hostName: null, fqdn: null })
}
