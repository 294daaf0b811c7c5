import type { Board } from '#data/board'
import { powerSupplyId } from '#data/sensors'
import type { Event } from '#runtime/contract'
import { eventClasses, type SelEvent, type SensorType } from './sel-record.ts'

/** Events of a host as a whole: the type of the sensor, and the offset (IPMI 2.0, table 42-3). */
const hostEvents: { readonly [key: string]: readonly [SensorType, offset: number] } = {
  ServerPoweredOn: [34, 0],
  ServerPoweredOff: [34, 5],
  ServerBootStarted: [29, 0],
  ServerReset: [29, 1],
  NonMaskableInterrupt: [19, 0],
  ServerFailed: [9, 5],
  ShutdownIgnored: [32, 5],
  ServerCrashed: [32, 1],
  ServerBootFailed: [30, 0],
  ServerBootRetried: [30, 0],
  HostWatchdogExpired: [35, 0]
}

const cleared = { type: 16, offset: 2 } as const

/** The faults of parts: the type of the sensor, and the offset of each. By the collection of the part's URI. */
const partFaults: { readonly [collection: string]: readonly [SensorType, { readonly [fault: string]: number }] } = {
  Drives: [13, { failed: 1, predicted: 2, rebuilding: 7 }],
  Volumes: [13, { degraded: 5, failed: 6 }],
  Memory: [12, { correctable: 0, uncorrectable: 1 }],
  Processors: [7, { failed: 0 }],
  PowerSupplies: [8, { failed: 1, inputLost: 3 }],
  PCIeDevices: [33, { failed: 0 }],
  Controllers: [33, { failed: 0 }],
  Ports: [39, { down: 0 }],
  Batteries: [41, { failed: 1 }]
}

/** The offsets of thresholds: those of sensors, and those that users set. */
const thresholds: { readonly [name: string]: number } = {
  LowerCaution: 0,
  LowerCritical: 2,
  LowerFatal: 4,
  UpperCaution: 7,
  UpperCritical: 9,
  UpperFatal: 11,
  Warning: 7,
  Critical: 9
}

/** The system that an event concerns, and the event as its SEL has it; undefined for events that no SEL knows. */
export function selEventOf(board: Board, event: Event): { system: string; event: SelEvent } | undefined {
  const [, , , owner, escaped = '', ...path] = event.origin.split('/')
  const id = decodeURIComponent(escaped)
  const system = owner === 'Systems' ? id : owner === 'Chassis' ? board.chassis[id]?.systems[0] : undefined
  if (system === undefined) return undefined
  const found = ofHost(event, path) ?? ofSensor(event, path) ?? ofPart(board, event, owner === 'Systems', id, path)
  return found && { system, event: found }
}

function ofHost({ message }: Event, path: readonly string[]): SelEvent | undefined {
  const key = message.key.slice(message.key.indexOf('.') + 1)
  const common = { number: 0, class: eventClasses.specific, isEnd: false }
  if (key === 'LogCleared') return path.at(-1) === 'SEL' ? { ...common, ...cleared } : undefined
  const [type, offset] = hostEvents[key] ?? []
  return type === undefined || offset === undefined ? undefined : { ...common, type, offset }
}

/** A reading that crosses a threshold, of a sensor or of the part that it measures. */
function ofSensor({ message, raises, clears }: Event, path: readonly string[]): SelEvent | undefined {
  const offset = thresholds[raises ?? clears ?? '']
  if (offset === undefined) return undefined
  const [, reading, , threshold] = message.args.map(Number)
  return {
    type: message.key.includes('Temperature') ? 1 : message.key.includes('.Fan') ? 4 : 11,
    number: Number(path.at(-1)),
    class: eventClasses.threshold,
    offset,
    isEnd: raises === undefined,
    values: reading === undefined || threshold === undefined ? undefined : [reading, threshold]
  }
}

function ofPart(
  board: Board,
  { raises, clears }: Event,
  isOfSystem: boolean,
  id: string,
  path: readonly string[]
): SelEvent | undefined {
  const fault = raises ?? clears ?? ''
  const isEnd = raises === undefined
  if (fault === 'redundancy') {
    return { type: path[0] === 'ThermalSubsystem' ? 4 : 8, number: 0, class: eventClasses.redundancy, offset: 1, isEnd }
  }
  const [type, offsets = {}] = partFaults[path.at(-2) ?? ''] ?? []
  const offset = offsets[fault]
  if (type === undefined || offset === undefined) return undefined
  const siblings = isOfSystem ? partsOfSystem(board, id, path) : partsOfChassis(board, id, path)
  return {
    type,
    number: siblings.indexOf(path.map(decodeURIComponent).slice(1).join('/')) + 1,
    class: eventClasses.specific,
    offset,
    isEnd
  }
}

/** Parts like one with this path, in their order: the number of a part in an SEL is its place, from 1. */
function partsOfSystem(board: Board, id: string, [kind, , collection]: readonly string[]): string[] {
  const { memory = {}, processors = {}, storage = {} } = board.systems[id] ?? {}
  if (kind === 'Memory') return Object.keys(memory)
  if (kind === 'Processors') return Object.keys(processors)
  return Object.entries(storage).flatMap(([each, { drives, volumes }]) => {
    const ids = collection === 'Drives' ? drives : collection === 'Volumes' ? volumes : { 1: true }
    return Object.keys(ids).map((part) => `${each}/${collection}/${part}`)
  })
}

function partsOfChassis(board: Board, id: string, [kind, collection]: readonly string[]): string[] {
  const { pcieDevices = {}, batteries = {}, powerSupplies = [] } = board.chassis[id] ?? {}
  if (kind === 'PCIeDevices') return Object.keys(pcieDevices)
  if (collection === 'Batteries') return Object.keys(batteries).map((part) => `Batteries/${part}`)
  if (collection === 'PowerSupplies') return powerSupplies.map((each) => `PowerSupplies/${powerSupplyId(each)}`)
  return Object.entries(pcieDevices).flatMap(([device, { ports = {} }]) =>
    Object.keys(ports).map((port) => `${device}/Ports/${port}`)
  )
}
