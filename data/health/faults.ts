import { type Board, type BoardChassis, type BoardPowerSupply, entry } from '#data/board'
import { cableChassis, cableUri, chassisUri } from '#data/chassis'
import { messageKeyOf } from '#data/events'
import { networkAdapterUri } from '#data/network-adapters'
import { fanId, fanUri, powerSubsystemUri, powerSupplyId, powerSupplyUri, thermalSubsystemUri } from '#data/sensors'
import { storageSettings, storageUri, type Volume } from '#data/storage'
import { systemUri } from '#data/system'
import { isUnderWay } from '#data/tasks'
import type { EventKey, State } from '#runtime/contract'
import { isOnBoard } from './presence.ts'
import { conditionKey, hasCondition } from './records.ts'

/** A fault of a part, with the event at its beginning. */
export interface Trouble {
  /** The canonical URI of the part, without a trailing slash. */
  readonly origin: string
  /** Of the condition. */
  readonly name: string
  readonly begins: EventKey
  /** The arguments of the event, also of that at the end: the id of the part. */
  readonly args: readonly string[]
}

/** By kind of part and fault: the events at its beginning and its end. Fans are also seen by their speed. */
const faults: Readonly<Record<string, { readonly ends: EventKey; readonly [fault: string]: EventKey }>> = {
  drives: {
    failed: 'StorageDevice.DriveFailure',
    predicted: 'StorageDevice.DrivePredictiveFailure',
    rebuilding: 'StorageDevice.DriveRebuilding',
    ends: 'StorageDevice.DriveOK'
  },
  controllers: { failed: 'StorageDevice.ControllerFailure', ends: 'StorageDevice.ControllerOK' },
  memory: {
    correctable: 'MgmtEvents.MemoryErrorsCorrected',
    uncorrectable: 'MgmtEvents.MemoryErrorUncorrectable',
    ends: 'MgmtEvents.PartOK'
  },
  processors: { failed: 'MgmtEvents.ProcessorFailed', ends: 'MgmtEvents.PartOK' },
  powerSupplies: {
    failed: 'MgmtEvents.PowerSupplyFailed',
    inputLost: 'MgmtEvents.PowerSupplyInputLost',
    ends: 'MgmtEvents.PartOK'
  },
  pcieDevices: { failed: 'MgmtEvents.PCIeDeviceFailed', ends: 'MgmtEvents.PartOK' },
  links: { down: 'NetworkDevice.ConnectionDropped', ends: 'NetworkDevice.ConnectionEstablished' },
  batteries: { failed: 'MgmtEvents.BatteryFailed', ends: 'MgmtEvents.PartOK' }
}

/** Likewise, of any kind of part that has no events of its own for them. */
const anyPart: (typeof faults)[string] = {
  failed: 'MgmtEvents.PartFailed',
  unavailable: 'MgmtEvents.PartUnavailable',
  lamp: 'MgmtEvents.FaultLampLit',
  ends: 'MgmtEvents.PartOK'
}

/** Troubles that follow from those of other parts. */
const volumeEvents = {
  failed: 'StorageDevice.VolumeFailure',
  degraded: 'StorageDevice.VolumeDegraded',
  ends: 'StorageDevice.VolumeOK'
} as const
const redundancy = { redundancy: 'MgmtEvents.RedundancyLost', ends: 'MgmtEvents.RedundancyRestored' } as const
const others: readonly { readonly ends: EventKey }[] = [anyPart, volumeEvents, redundancy]

/** The faults of parts by their names, such as `{ 'drives/DE00C000/1': 'failed' }`. */
type PartFaults = Readonly<Record<string, string>>

/** The systems whose parts the sensors of a chassis see: of one in several chassis, those of its first. */
const seenSystems = ({ systems, chassis }: Board, id: string) =>
  (chassis[id]?.systems ?? []).filter((system) => (systems[system]?.chassis[0] ?? id) === id)

/**
 * Whether the sensors of a chassis see a part: the chassis, what is in it or in its systems, and cables that lead to it. They
 * all see that a part is not on the board.
 */
export function isSeenBy(board: Board, id: string, part: string): boolean {
  if (!isOnBoard(board, part)) return true
  const [, cable] = Object.entries(board.cables ?? {}).find(([each]) => part === cableUri(each)) ?? []
  if (cable !== undefined) return cableChassis(cable) === id
  const uris = [chassisUri(id), ...seenSystems(board, id).map(systemUri)]
  return part === uris[0] || uris.some((uri) => part.startsWith(`${uri}/`))
}

/**
 * All faults in a chassis and in its systems: of parts, of volumes that lost drives, and lost redundancy. Names of parts that
 * do not exist are ignored.
 */
export function troublesOf(board: Board, state: State, id: string, seen: PartFaults): Trouble[] {
  const chassis = board.chassis[id]
  if (chassis === undefined) return []
  const own = Object.entries(seen).flatMap(([part, fault]) => {
    const [kind = '', ...rest] = part.split('/')
    const begins = fault === 'ends' ? undefined : (entry(entry(faults, kind) ?? {}, fault) ?? entry(anyPart, fault))
    const origin = uriOf(board, id, chassis, kind, rest)
    if (begins === undefined || origin === undefined) return []
    // A core has no resource: its fault is one of its processor, beside those of other cores.
    const name = kind === 'cores' ? `${fault}-${rest.at(-1)}` : fault
    return [{ origin, name, begins, args: kind === 'links' ? rest : [rest.at(-1) ?? ''] }]
  })
  const volumes = volumeTroubles(board, state, seenSystems(board, id), seen)
  return [...own, ...volumes, ...redundancyTroubles(state, id, chassis, own)]
}

/** The URI of a part of a chassis or of one of its systems; undefined for a part that does not exist. */
function uriOf(
  board: Board,
  chassis: string,
  { fans, powerSupplies, pcieDevices, batteries = {} }: BoardChassis,
  kind: string,
  [first = '', second = '']: readonly string[]
): string | undefined {
  const encoded = [first, second].map(encodeURIComponent)
  const inSystem = (has: (system: Board['systems'][string]) => boolean | undefined, uri: (id: string) => string) => {
    const found = seenSystems(board, chassis).find((id) => has(board.systems[id] as Board['systems'][string]))
    return found === undefined ? undefined : uri(found)
  }
  const hasDevice = entry(pcieDevices, first) !== undefined
  const cable = entry(board.cables ?? {}, first)
  const fan = fans.find((each) => fanId(each) === first)
  const supply = powerSupplies.find((each) => powerSupplyId(each) === first)
  switch (kind) {
    case 'memory':
      return inSystem(
        ({ memory }) => Object.hasOwn(memory, first),
        (id) => `${systemUri(id)}/Memory/${encoded[0]}`
      )
    case 'processors':
    case 'cores':
      return inSystem(
        ({ processors }) => Object.hasOwn(processors, first),
        (id) => `${systemUri(id)}/Processors/${encoded[0]}`
      )
    case 'drives':
      return inSystem(
        ({ storage }) => Object.hasOwn(entry(storage, first)?.drives ?? {}, second),
        (id) => `${storageUri(id, first)}/Drives/${encoded[1]}`
      )
    case 'controllers':
      return inSystem(
        ({ storage }) => Object.hasOwn(storage, first),
        (id) => `${storageUri(id, first)}/Controllers/1`
      )
    case 'powerSupplies':
      return supply && powerSupplyUri(chassis, supply)
    case 'fans':
      return fan && fanUri(chassis, fan)
    case 'chassis':
      return first === chassis ? chassisUri(chassis) : undefined
    case 'cables':
      return cable && cableChassis(cable) === chassis ? cableUri(first) : undefined
    case 'pcieDevices':
      return hasDevice ? `${chassisUri(chassis)}/PCIeDevices/${encoded[0]}` : undefined
    case 'links':
      return hasDevice && Object.hasOwn(pcieDevices[first]?.ports ?? {}, second)
        ? `${networkAdapterUri(chassis, first)}/Ports/${encoded[1]}`
        : undefined
    case 'batteries':
      return Object.hasOwn(batteries, first) ? `${powerSubsystemUri(chassis)}/Batteries/${encoded[0]}` : undefined
    default:
      return undefined
  }
}

/** How many drives a volume can lose. */
const spare = { RAID0: 0, RAID1: 1, RAID5: 1, RAID6: 2, RAID10: 1 } as const

/** A volume of a system. */
interface Place {
  readonly system: string
  readonly storage: string
  readonly volume: string
}

function* volumesOf(
  board: Board,
  state: Pick<State, 'get'>,
  systems: readonly string[]
): Iterable<Place & { of: Volume }> {
  for (const system of systems) {
    for (const [storage, each] of Object.entries(board.systems[system]?.storage ?? {})) {
      const { volumes } = storageSettings(each, state.get('storage', `${system}/${storage}`))
      for (const [volume, of] of Object.entries(volumes)) yield { system, storage, volume, of }
    }
  }
}

const driveUri = ({ system, storage }: Place, drive: string) =>
  `${storageUri(system, storage)}/Drives/${encodeURIComponent(drive)}`

/** A volume is degraded from the failure of a drive to the end of its rebuild. */
function volumeTroubles(board: Board, state: State, systems: readonly string[], seen: PartFaults): Trouble[] {
  return [...volumesOf(board, state, systems)].flatMap((place): Trouble[] => {
    const { system, storage, volume, of } = place
    const fault = (drive: string) => seen[`drives/${storage}/${drive}`]
    const failed = of.drives.filter((drive) => fault(drive) === 'failed').length
    const isWhole = of.drives.every(
      (drive) => fault(drive) !== 'rebuilding' && !hasCondition(state, driveUri(place, drive), 'failed')
    )
    if (failed === 0 && isWhole && !isUnderWay('rebuild', state, { system, storage, id: volume })) return []
    const name = failed > spare[of.raidType] ? 'failed' : 'degraded'
    const origin = `${storageUri(system, storage)}/Volumes/${encodeURIComponent(volume)}`
    return [{ origin, name, begins: volumeEvents[name], args: [volume] }]
  })
}

/** The volumes that are rebuilt once a drive works again, by the key of the drive's condition. */
export function rebuiltAfter(board: Board, state: Pick<State, 'get'>, condition: string): Place[] {
  return [...volumesOf(board, state, Object.keys(board.systems))].filter(
    (place) =>
      spare[place.of.raidType] > 0 &&
      place.of.drives.some((drive) => conditionKey(driveUri(place, drive), 'failed') === condition)
  )
}

/** Two power supplies or more, and two fans or more, are redundant: one may fail, and then none is left to spare. */
function redundancyTroubles(
  state: State,
  id: string,
  { fans, powerSupplies }: BoardChassis,
  troubles: readonly Trouble[]
): Trouble[] {
  const power = powerSubsystemUri(id)
  const cooling = thermalSubsystemUri(id)
  const isPowerLost = powerSupplies.length > 1 && troubles.some(({ origin }) => origin.startsWith(`${power}/PowerS`))
  const isStopped = (key: string) => key.endsWith('Critical') || key.endsWith('#failed')
  const stopped = state.keys('condition').some((key) => key.startsWith(`${cooling}/Fans/`) && isStopped(key))
  const lost = { name: 'redundancy', begins: redundancy.redundancy }
  return [
    ...(isPowerLost ? [{ ...lost, origin: power, args: ['power supplies'] }] : []),
    ...(fans.length > 1 && stopped ? [{ ...lost, origin: cooling, args: ['fans'] }] : [])
  ]
}

/** The event at the end of a condition that began with a message; undefined for one that is no trouble. */
export function endOf(messageId: string): EventKey | undefined {
  const key = messageKeyOf(messageId)
  const group = [...Object.values(faults), ...others].find((each) => Object.values(each).includes(key as EventKey))
  return group?.ends
}

/** The voltage at the input of a power supply. */
export function inputVolts(state: Pick<State, 'get'>, chassis: string, supply: BoardPowerSupply): number | null {
  return hasCondition(state, powerSupplyUri(chassis, supply), 'inputLost') ? 0 : (supply.inputVolts ?? null)
}
