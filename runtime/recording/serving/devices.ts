import type { BoardManager } from '#data/board'
import { isObject, linkIn, type Resource, type Resources, textIn, within } from '../resources.ts'

type Port = BoardManager['ethernetInterfaces'][string]['port']

/** The names of a manager, if it tells them. */
export function hostNamesOf(resources: Resources, manager: Resource): { hostName?: string; domain?: string } {
  const protocols = resources.get(linkIn(manager.NetworkProtocol) ?? '')
  const hostName = textIn(protocols, 'HostName')
  const fqdn = textIn(protocols, 'FQDN')
  if (hostName === '') return {}
  return { hostName, domain: fqdn.startsWith(`${hostName}.`) ? fqdn.slice(hostName.length + 1) : '' }
}

/**
 * A port with the addresses that were recorded of it.
 *
 * @param like a port in a network with servers: its DHCP server has the recorded address
 */
export function portOf(like: Port, recorded: Resource): Port {
  const list = (name: string) => (Array.isArray(recorded[name]) ? recorded[name].filter(isObject) : [])
  const ipv4 = list('IPv4Addresses').flatMap((each) => {
    const [address, subnetMask, gateway] = [
      textIn(each, 'Address'),
      textIn(each, 'SubnetMask'),
      textIn(each, 'Gateway')
    ]
    const origin = each.AddressOrigin === 'DHCP' ? 'DHCP' : 'Static'
    if (address === '' || address === '0.0.0.0' || subnetMask === '') return []
    return [{ address, subnetMask, ...(gateway && { gateway }), origin }]
  })
  const ipv6 = list('IPv6Addresses').flatMap((each) => {
    const origin = ['Static', 'LinkLocal', 'SLAAC'].find((one) => one === each.AddressOrigin)
    const [address, prefixLength] = [textIn(each, 'Address'), each.PrefixLength]
    if (address === '' || address === '::' || origin === undefined || typeof prefixLength !== 'number') return []
    return [{ address, prefixLength, origin }]
  })
  const leased = ipv4.find(({ origin }) => origin === 'DHCP')
  const given = within(recorded, ['StaticNameServers']) ?? recorded.NameServers
  const nameServers = (Array.isArray(given) ? given : []).filter((each) => /^[\da-f.:]*[\da-f]$/i.test(String(each)))
  const { prefix: _, information: __, ...others } = like as Record<string, unknown>
  const { origin: ___, ...lease } = leased ?? {}
  return { ...others, ...macOf(recorded), ipv4, ipv6, nameServers, ...(leased && { lease }) } as unknown as Port
}

/** The address of a port, if it says one. */
function macOf(port: Resource): { mac?: string } {
  const mac = textIn(port, 'MACAddress').toUpperCase().replaceAll('-', ':')
  return /^[\dA-F]{2}(:[\dA-F]{2}){5}$/.test(mac) ? { mac } : {}
}
