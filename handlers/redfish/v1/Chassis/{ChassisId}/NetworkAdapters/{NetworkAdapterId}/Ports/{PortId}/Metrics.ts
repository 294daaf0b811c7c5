import { countersOf, portMetrics, showPortMetrics } from '#data/metrics'
import { findNetworkPort } from '#data/network-adapters'
import type { Get, Schema } from '#runtime/contract'

export const schema = portMetrics satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'NetworkAdapterId' | 'PortId'> = ({ params, machine }) => {
  const { ChassisId, NetworkAdapterId, PortId } = params
  findNetworkPort(machine, ChassisId, NetworkAdapterId, PortId)
  return { ...showPortMetrics(countersOf(machine, [ChassisId, 'links', `${NetworkAdapterId}/${PortId}`])) }
}
