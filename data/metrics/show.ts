import { formatDuration } from '#runtime/base/duration.ts'
import { link, type Machine, notFound, type PartCounters } from '#runtime/contract'

type Kind = keyof PartCounters

/** A part that counts: its chassis, its kind, and its name, such as `slot3/1` of `drives`. */
type Part<K extends Kind> = readonly [chassis: string, kind: K, name: string]

/** A part of a system, which the sensors of its chassis know. */
export function partOf<K extends Kind>(machine: Machine, system: string, kind: K, name: string): Part<K> {
  const { chassis } = machine.system(system)
  return [chassis.find((id) => machine.counts(id, kind, name)) ?? chassis[0] ?? '', kind, name]
}

/** The link from a part to its metrics, if it counts anything. @param uri of the metrics */
export function metricsLink(machine: Machine, part: Part<Kind>, uri: string) {
  return part[0] !== '' && machine.counts(...part) ? { Metrics: link(uri) } : {}
}

/** @returns the counters; undefined if they cannot be read. @throws MessageError 404 for a part that counts nothing */
export function countersOf<K extends Kind>(machine: Machine, part: Part<K>): PartCounters[K] | undefined {
  if (part[0] === '' || !machine.counts(...part)) notFound()
  return machine.counters(...part)
}

export function showPortMetrics(counted: PartCounters['links'] | undefined) {
  return (
    counted && {
      Networking: {
        RXDiscards: counted.receivedDiscards,
        RXFrames: counted.receivedFrames,
        TXDiscards: counted.sentDiscards,
        TXFrames: counted.sentFrames
      },
      RXBytes: counted.receivedBytes,
      RXErrors: counted.receivedErrors,
      TXBytes: counted.sentBytes,
      TXErrors: counted.sentErrors
    }
  )
}

export function showMemoryMetrics(machine: Machine, part: Part<'memory'>) {
  const counted = countersOf(machine, part)
  return (
    counted && {
      ...showBandwidth(counted),
      CurrentPeriod: {
        CorrectableECCErrorCount: counted.correctable,
        UncorrectableECCErrorCount: counted.uncorrectable
      }
    }
  )
}

export function showProcessorMetrics(machine: Machine, part: Part<'processors'>) {
  const counted = countersOf(machine, part)
  return (
    counted && {
      ...showBandwidth(counted),
      CorrectableCoreErrorCount: counted.correctable,
      PowerLimitThrottleDuration: formatDuration(counted.throttled),
      UncorrectableCoreErrorCount: counted.uncorrectable
    }
  )
}

const showBandwidth = ({ bandwidth }: PartCounters['memory' | 'processors']) =>
  bandwidth === undefined ? {} : { BandwidthPercent: bandwidth }

export function showDriveMetrics(machine: Machine, part: Part<'drives'>) {
  const counted = countersOf(machine, part)
  return (
    counted && {
      BadBlockCount: counted.badBlocks,
      CorrectableIOReadErrorCount: counted.correctableReads,
      PowerOnHours: counted.hours,
      ReadIOKiBytes: counted.readKiB,
      UncorrectableIOReadErrorCount: counted.uncorrectableReads,
      WriteIOKiBytes: counted.writtenKiB
    }
  )
}
