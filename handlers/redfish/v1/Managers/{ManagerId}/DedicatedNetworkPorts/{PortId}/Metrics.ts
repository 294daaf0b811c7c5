import { entry } from '#data/board'
import { portMetrics, showPortMetrics } from '#data/metrics'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = portMetrics satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'PortId'> = ({ params, machine }) => {
  const { ManagerId, PortId } = params
  if (entry(machine.manager(ManagerId).ethernetInterfaces, PortId) === undefined) notFound()
  return { ...showPortMetrics(machine.portCounters(ManagerId, PortId)) }
}
