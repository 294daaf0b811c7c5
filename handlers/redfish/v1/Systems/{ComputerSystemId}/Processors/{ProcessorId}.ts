import { architectures, entry, instructionSets } from '#data/board'
import { metricsLink, partOf } from '#data/metrics'
import { integer, label, location, reference, resource, status, text } from '#data/resource'
import { type Get, notFound } from '#runtime/contract'

export const schema = resource('Processor.v1_20_0', 'A processor', {
  InstructionSet: { type: 'string', enum: Object.values(instructionSets), nullable: true, readonly: true },
  ...label,
  Location: location,
  MaxSpeedMHz: integer,
  Metrics: reference,
  ProcessorArchitecture: { type: 'string', enum: architectures, nullable: true, readonly: true },
  ProcessorType: { type: 'string', enum: ['CPU'], nullable: true, readonly: true },
  Socket: text,
  Status: status,
  TotalCores: integer,
  TotalThreads: integer
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'ProcessorId'> = ({ params, uri, machine }) => {
  const { ComputerSystemId, ProcessorId } = params
  const { processors } = machine.system(ComputerSystemId)
  const processor = entry(processors, ProcessorId) ?? notFound()
  const { architecture = 'x86' } = processor
  return {
    Name: `Processor ${ProcessorId}`,
    InstructionSet: architecture && instructionSets[architecture],
    Location: { PartLocation: { ServiceLabel: processor.serviceLabel ?? processor.socket } },
    ...machine.label(processor),
    MaxSpeedMHz: processor.maxSpeedMHz,
    ...metricsLink(machine, partOf(machine, ComputerSystemId, 'processors', ProcessorId), `${uri}/ProcessorMetrics`),
    ProcessorArchitecture: architecture,
    ProcessorType: 'CPU',
    Socket: processor.socket,
    TotalCores: processor.cores,
    TotalThreads: processor.threads
  }
}
