import { entry } from '#data/board'
import { lldpEnabled, lldpInformation, showLldp } from '#data/ethernet'
import { port } from '#data/network-adapters'
import { changed, fail, type Get, link, type Machine, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = port satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

/** A port of a controller. @throws MessageError 404 */
function find(machine: Machine, { ManagerId, PortId }: { ManagerId: string; PortId: string }) {
  const manager = machine.manager(ManagerId)
  const { name } = entry(manager.ethernetInterfaces, PortId) ?? notFound()
  return { manager, name, now: machine.port(ManagerId, PortId) }
}

export const GET: Get<typeof schema, 'ManagerId' | 'PortId'> = ({ params, uri, machine, state, lldpNeighbour }) => {
  const { ManagerId, PortId } = params
  const { manager, name, now } = find(machine, params)
  const enabled = lldpEnabled(state, ManagerId, PortId)
  const neighbour = now.hasLldp && enabled ? lldpNeighbour(ManagerId, PortId) : undefined
  return {
    Name: name,
    CurrentSpeedGbps: now.speed === undefined ? null : now.speed / 1000,
    Ethernet: {
      AssociatedMACAddresses: [now.mac],
      ...(now.hasLldp && { LLDPEnabled: enabled }),
      ...(neighbour && { LLDPReceive: showLldp(neighbour) }),
      ...(now.hasLldp && enabled && { LLDPTransmit: showLldp(lldpInformation(state, ManagerId, manager, name, now)) })
    },
    LinkNetworkTechnology: 'Ethernet',
    LinkStatus: now.linkUp ? 'LinkUp' : 'LinkDown',
    Metrics: link(`${uri}/Metrics`),
    PortId,
    PortProtocol: 'Ethernet'
  }
}

export const PATCH: Patch<typeof schema, 'ManagerId' | 'PortId'> = ({ params, body, machine }) => {
  const { now } = find(machine, params)
  const enabled = body.Ethernet?.LLDPEnabled
  if (enabled === undefined) return changed({})
  if (!now.hasLldp) fail(400, 'Base.PropertyNotWritable', 'Ethernet/LLDPEnabled')
  return changed({ lldp: { [`${params.ManagerId}/${params.PortId}`]: { enabled } } })
}
