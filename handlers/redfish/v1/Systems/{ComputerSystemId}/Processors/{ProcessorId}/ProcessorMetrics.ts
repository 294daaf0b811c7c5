import { entry } from '#data/board'
import { partOf, processorMetrics, showProcessorMetrics } from '#data/metrics'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = processorMetrics satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'ProcessorId'> = ({ params, machine }) => {
  const { ComputerSystemId, ProcessorId } = params
  if (entry(machine.system(ComputerSystemId).processors, ProcessorId) === undefined) notFound()
  return { ...showProcessorMetrics(machine, partOf(machine, ComputerSystemId, 'processors', ProcessorId)) }
}
