import { hasCondition } from '#data/health'
import { metricsLink } from '#data/metrics'
import { findNetworkPort, port } from '#data/network-adapters'
import type { Get, Schema } from '#runtime/contract'

export const schema = port satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

type Path = 'ChassisId' | 'NetworkAdapterId' | 'PortId'

export const GET: Get<typeof schema, Path> = ({ params, uri, machine, state }) => {
  const { ChassisId, NetworkAdapterId, PortId } = params
  const { speedGbps, ethernet, fibreChannel, ...link } = findNetworkPort(machine, ChassisId, NetworkAdapterId, PortId)
  const linkUp = link.linkUp && !hasCondition(state, uri, 'down')
  return {
    Name: `Port ${PortId}`,
    CurrentSpeedGbps: linkUp ? speedGbps : null,
    ...(ethernet && { Ethernet: { AssociatedMACAddresses: [ethernet.mac] } }),
    ...(fibreChannel && { FibreChannel: { AssociatedWorldWideNames: [fibreChannel.wwpn] } }),
    LinkNetworkTechnology: ethernet ? 'Ethernet' : 'FibreChannel',
    LinkStatus: linkUp ? 'LinkUp' : 'LinkDown',
    MaxSpeedGbps: speedGbps,
    ...metricsLink(machine, [ChassisId, 'links', `${NetworkAdapterId}/${PortId}`], `${uri}/Metrics`),
    PortId,
    PortProtocol: ethernet ? 'Ethernet' : 'FC'
  }
}
