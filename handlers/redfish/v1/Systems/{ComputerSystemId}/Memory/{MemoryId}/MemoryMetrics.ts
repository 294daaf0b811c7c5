import { entry } from '#data/board'
import { hasCondition } from '#data/health'
import { memoryMetrics, partOf, showMemoryMetrics } from '#data/metrics'
import { systemUri } from '#data/system'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = memoryMetrics satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'MemoryId'> = ({ params, machine, state }) => {
  const { ComputerSystemId, MemoryId } = params
  const module = entry(machine.system(ComputerSystemId).memory, MemoryId) ?? notFound()
  const has = (fault: string) =>
    hasCondition(state, `${systemUri(ComputerSystemId)}/Memory/${encodeURIComponent(MemoryId)}`, fault)
  return {
    ...showMemoryMetrics(machine, partOf(machine, ComputerSystemId, 'memory', MemoryId)),
    HealthData: {
      AlarmTrips: { CorrectableECCError: has('correctable'), UncorrectableECCError: has('uncorrectable') },
      DataLossDetected: has('uncorrectable')
    },
    OperatingSpeedMHz: module.speed
  }
}
