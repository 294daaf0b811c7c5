import { type BoardChassis, entry } from '#data/board'
import { systemUri } from '#data/system'
import { type Machine, notFound } from '#runtime/contract'
import { networkAdapterUri } from './uris.ts'

/** The ids of the cards of a chassis that have network ports. */
export function networkAdapterIds({ pcieDevices }: BoardChassis): string[] {
  return Object.keys(pcieDevices).filter((id) => pcieDevices[id]?.ports !== undefined)
}

/** The network adapters of the chassis of a system. */
export function adaptersOf(machine: Machine, system: string) {
  return machine
    .system(system)
    .chassis.flatMap((chassis) => networkAdapterIds(machine.chassis(chassis)).map((id) => ({ chassis, id })))
}

/** @throws MessageError 404 for a card without network ports or an unknown chassis */
export function findNetworkAdapter(machine: Machine, chassis: string, id: string) {
  const device = entry(machine.chassis(chassis).pcieDevices, id) ?? notFound()
  return { ...device, ports: device.ports ?? notFound() }
}

/** The URI of the port that an Ethernet interface of a system is at, without a trailing slash; undefined if it is unknown. */
export function portOf(machine: Machine, system: string, ethernetInterface: string): string | undefined {
  for (const { chassis, id } of adaptersOf(machine, system)) {
    const { ports } = findNetworkAdapter(machine, chassis, id)
    const port = Object.keys(ports).find((each) => ports[each]?.ethernetInterface === ethernetInterface)
    if (port !== undefined) return `${networkAdapterUri(chassis, id)}/Ports/${encodeURIComponent(port)}`
  }
  return undefined
}

/** A port of a card. An Ethernet port has the address, speed and link of the host's interface. */
export function findNetworkPort(machine: Machine, chassis: string, device: string, id: string) {
  const { ports } = findNetworkAdapter(machine, chassis, device)
  const { function: number, ethernetInterface = '', fibreChannel } = entry(ports, id) ?? notFound()
  for (const system of machine.chassis(chassis).systems) {
    const found = entry(machine.system(system).ethernetInterfaces, ethernetInterface)
    if (found === undefined) continue
    const { mac, linkUp, speedMbps } = found
    const uri = `${systemUri(system)}/EthernetInterfaces/${encodeURIComponent(ethernetInterface)}`
    return { number, linkUp, speedGbps: speedMbps / 1000, ethernet: { mac, uri } }
  }
  const { wwnn, wwpn, linkUp, speedGbps } = fibreChannel ?? notFound()
  const names = { wwnn: worldWideName(machine, wwnn), wwpn: worldWideName(machine, wwpn) }
  return { number, linkUp, speedGbps, fibreChannel: names }
}

/** A name as it is printed, which in one of many machines that are alike is its own. */
function worldWideName({ board }: Machine, digits: string): string {
  return (board.individual?.address(digits) ?? digits).replace(/..(?=.)/g, '$&:')
}
