import t from 'tap'
import { GET as portMetrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/Ports/{PortId}/Metrics.ts'
import { GET as port } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/Ports/{PortId}.ts'
import { GET as memoryMetrics } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Memory/{MemoryId}/MemoryMetrics.ts'
import { GET as memory } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Memory/{MemoryId}.ts'
import { GET as processorMetrics } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Processors/{ProcessorId}/ProcessorMetrics.ts'
import { GET as processor } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Processors/{ProcessorId}.ts'
import { GET as driveMetrics } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Drives/{DriveId}/Metrics.ts'
import { GET as drive } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Drives/{DriveId}.ts'
import { context, missing, refusal, withBasis } from '#test/handlers/context.ts'

const system = { ComputerSystemId: '1' }
const systems = '/redfish/v1/Systems/1'
const counters = {
  'links/nic-1/1': {
    ...{ receivedBytes: 1, receivedFrames: 2, receivedErrors: 3, receivedDiscards: 4 },
    ...{ sentBytes: 5, sentFrames: 6, sentErrors: 7, sentDiscards: 8 }
  },
  'memory/proc1dimm1': { bandwidth: 12, correctable: 4, uncorrectable: 1 },
  'processors/1': { bandwidth: 34, throttled: 75, correctable: 2, uncorrectable: 0 },
  'drives/slot3/1': {
    ...{ readKiB: 10, writtenKiB: 20, hours: 3000, correctableReads: 5, uncorrectableReads: 6, badBlocks: 7 }
  }
}

/** Each kind of part that counts, where its metrics are, and what they show. */
const parts = [
  {
    params: { ChassisId: '1', NetworkAdapterId: 'nic-1', PortId: '1' },
    other: { ChassisId: '1', NetworkAdapterId: 'nic-1', PortId: '7' },
    ...{
      part: port,
      metrics: portMetrics,
      uri: '/redfish/v1/Chassis/1/NetworkAdapters/nic-1/Ports/1',
      name: 'Metrics'
    },
    shown: {
      Networking: { RXDiscards: 4, RXFrames: 2, TXDiscards: 8, TXFrames: 6 },
      ...{ RXBytes: 1, RXErrors: 3, TXBytes: 5, TXErrors: 7 }
    }
  },
  {
    params: { ...system, MemoryId: 'proc1dimm1' },
    other: { ...system, MemoryId: 'proc9dimm1' },
    ...{ part: memory, metrics: memoryMetrics, uri: `${systems}/Memory/proc1dimm1`, name: 'MemoryMetrics' },
    shown: {
      BandwidthPercent: 12,
      CurrentPeriod: { CorrectableECCErrorCount: 4, UncorrectableECCErrorCount: 1 },
      HealthData: {
        AlarmTrips: { CorrectableECCError: false, UncorrectableECCError: false },
        DataLossDetected: false
      },
      OperatingSpeedMHz: 4800
    }
  },
  {
    params: { ...system, ProcessorId: '1' },
    other: { ...system, ProcessorId: '7' },
    ...{ part: processor, metrics: processorMetrics, uri: `${systems}/Processors/1`, name: 'ProcessorMetrics' },
    shown: {
      BandwidthPercent: 34,
      CorrectableCoreErrorCount: 2,
      PowerLimitThrottleDuration: 'PT75S',
      UncorrectableCoreErrorCount: 0
    }
  },
  {
    params: { ...system, StorageId: 'slot3', DriveId: '1' },
    other: { ...system, StorageId: 'slot3', DriveId: '77' },
    ...{ part: drive, metrics: driveMetrics, uri: `${systems}/Storage/slot3/Drives/1`, name: 'Metrics' },
    shown: {
      ...{ BadBlockCount: 7, CorrectableIOReadErrorCount: 5, PowerOnHours: 3000, ReadIOKiBytes: 10 },
      ...{ UncorrectableIOReadErrorCount: 6, WriteIOKiBytes: 20 }
    }
  }
]

for (const { part, metrics, uri, name, shown, ...ids } of parts) {
  const params: Record<string, string> = ids.params
  const other: Record<string, string> = ids.other
  const get = metrics as (given: unknown) => object
  const getPart = part as (given: unknown) => { Metrics?: object }

  t.test(`${uri}: what the part counts is in its metrics, which it links`, async (t) => {
    t.same(get(context({ params, uri: `${uri}/${name}`, counters })), shown)
    t.same(getPart(context({ params, uri, counters })).Metrics, { '@odata.id': `${uri}/${name}/` })
  })

  t.test(`${uri}: a part that counts nothing has no metrics, and one that is not there is missing`, async (t) => {
    t.equal(getPart(context({ params, uri })).Metrics, undefined)
    t.same(await refusal(() => get(context({ params }))), missing)
    t.same(await refusal(() => get(context({ params: other, counters }))), missing)
  })

  t.test(`${uri}: the metrics depend on the readings, and the part does not`, async (t) => {
    const [metricsBasis, partBasis] = [withBasis({ params, counters }), withBasis({ params, uri, counters })]
    get(metricsBasis.context)
    getPart(partBasis.context)
    t.same([metricsBasis.basis.moves, partBasis.basis.moves], [true, false])
  })
}

t.test('a bandwidth that is not measured is left out', async (t) => {
  const counters = {
    'memory/proc1dimm1': { correctable: 0, uncorrectable: 0 },
    'processors/1': { throttled: 0, correctable: 0, uncorrectable: 0 }
  }
  const shown = [
    memoryMetrics(context({ params: { ...system, MemoryId: 'proc1dimm1' }, counters })),
    processorMetrics(context({ params: { ...system, ProcessorId: '1' }, counters }))
  ]
  for (const each of shown) t.notOk('BandwidthPercent' in each)
})

t.test('a condition of a memory module trips its alarm', async (t) => {
  const origin = `${systems}/Memory/proc1dimm1`
  const condition = { [`${origin}#uncorrectable`]: { origin, severity: 'Critical', messageId: '', args: [] } } as never
  const given = { params: { ...system, MemoryId: 'proc1dimm1' }, counters, tables: { condition } }
  t.match(memoryMetrics(context(given)), {
    HealthData: { AlarmTrips: { CorrectableECCError: false, UncorrectableECCError: true }, DataLossDetected: true }
  })
})
