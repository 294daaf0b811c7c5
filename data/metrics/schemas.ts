import { flag, integer, number, resource, text } from '#data/resource'
import { object } from '#runtime/schema'

const eccErrors = object({ CorrectableECCErrorCount: integer, UncorrectableECCErrorCount: integer })

export const portMetrics = resource('PortMetrics.v1_3_0', 'What a network port has sent and received', {
  Networking: object({ RXDiscards: integer, RXFrames: integer, TXDiscards: integer, TXFrames: integer }),
  RXBytes: integer,
  RXErrors: integer,
  TXBytes: integer,
  TXErrors: integer
})

export const memoryMetrics = resource('MemoryMetrics.v1_7_0', 'The errors of a memory module, and its use', {
  BandwidthPercent: number,
  CurrentPeriod: eccErrors,
  HealthData: object({
    AlarmTrips: object({ CorrectableECCError: flag, UncorrectableECCError: flag }),
    DataLossDetected: flag
  }),
  OperatingSpeedMHz: integer
})

export const processorMetrics = resource(
  'ProcessorMetrics.v1_6_0',
  'The errors of a processor, its use and its throttling',
  {
    BandwidthPercent: number,
    CorrectableCoreErrorCount: integer,
    PowerLimitThrottleDuration: text,
    UncorrectableCoreErrorCount: integer
  }
)

export const driveMetrics = resource('DriveMetrics.v1_2_0', 'What a drive has read and written, and its errors', {
  BadBlockCount: integer,
  CorrectableIOReadErrorCount: integer,
  PowerOnHours: number,
  ReadIOKiBytes: integer,
  UncorrectableIOReadErrorCount: integer,
  WriteIOKiBytes: integer
})
