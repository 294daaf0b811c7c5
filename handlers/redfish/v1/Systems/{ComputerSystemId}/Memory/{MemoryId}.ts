import { entry, errorCorrections, memoryTypes, moduleTypes } from '#data/board'
import { metricsLink, partOf } from '#data/metrics'
import { integer, label, location, reference, resource, status, text } from '#data/resource'
import { type Get, notFound, object } from '#runtime/contract'

export const schema = resource('Memory.v1_20_0', 'A memory module', {
  BaseModuleType: { type: 'string', enum: moduleTypes, nullable: true, readonly: true },
  CapacityMiB: integer,
  DeviceLocator: text,
  ErrorCorrection: { type: 'string', enum: errorCorrections, nullable: true, readonly: true },
  ...label,
  Location: location,
  MemoryDeviceType: { type: 'string', enum: memoryTypes, nullable: true, readonly: true },
  MemoryLocation: object({ Slot: integer, Socket: integer }),
  Metrics: reference,
  MemoryType: { type: 'string', enum: ['DRAM'], nullable: true, readonly: true },
  OperatingSpeedMhz: integer,
  RankCount: integer,
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

/** `OperatingSpeedMhz` counts transfers, as the standard has it. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'MemoryId'> = ({ params, uri, machine }) => {
  const { memory } = machine.system(params.ComputerSystemId)
  const module = entry(memory, params.MemoryId) ?? notFound()
  const { type = 'DDR5', moduleType = 'RDIMM', errorCorrection = 'MultiBitECC' } = module
  return {
    Name: module.location,
    BaseModuleType: moduleType,
    CapacityMiB: module.capacityMiB,
    DeviceLocator: module.location,
    ErrorCorrection: errorCorrection,
    Location: { PartLocation: { ServiceLabel: module.serviceLabel ?? module.location } },
    ...machine.label(module),
    MemoryDeviceType: type,
    MemoryLocation: { Slot: module.slot, Socket: module.socket },
    MemoryType: 'DRAM',
    ...metricsLink(
      machine,
      partOf(machine, params.ComputerSystemId, 'memory', params.MemoryId),
      `${uri}/MemoryMetrics`
    ),
    OperatingSpeedMhz: module.speed,
    RankCount: module.ranks
  }
}
