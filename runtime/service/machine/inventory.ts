import type { Board, BoardChassis, BoardSystem } from '#data/board'
import {
  chassisTypes,
  driveMedia,
  errorCorrections,
  memoryTypes,
  moduleTypes,
  pcieGenerations,
  storageProtocols
} from '#data/board'
import { chassisUri } from '#data/chassis'
import { systemUri } from '#data/system'
import type { FoundChassis, FoundParts, FoundSensor } from '#hal/inventory.ts'
import { type Event, event } from '#runtime/contract'

/**
 * A board with the parts that another program has found, in place of those of its file: the first system and the first
 * chassis of the file are the pattern for them. A chassis that was not found is the one of the file. The device of sensors
 * of the first chassis also watches the parts of the system.
 */
export function withInventory(board: Board, found: FoundParts): Board {
  const [system] = Object.keys(board.systems)
  const [chassis] = Object.keys(board.chassis)
  if (system === undefined || chassis === undefined) return board
  const ids = outermostFirst(found.chassis)
  const pattern = board.chassis[chassis] as BoardChassis
  const all = ids.map((id, index) => {
    const own = found.chassis[id] as FoundChassis
    return [id, chassisOf(pattern, index > 0 ? own : { ...own, parts: { ...found.parts, ...own.parts } })] as const
  })
  if (ids.length === 0) return { ...board, systems: { ...board.systems, [system]: systemOf(board, system, found) } }
  return {
    ...board,
    systems: { ...board.systems, [system]: { ...systemOf(board, system, found), chassis: ids } },
    chassis: Object.fromEntries(all),
    ...(Object.keys(found.cables).length > 0 && { cables: cablesOf(found.cables) }),
    managers: Object.fromEntries(Object.entries(board.managers).map(([id, each]) => [id, { ...each, chassis: ids }]))
  }
}

/** The events of a board that has other parts than before: they name the systems and the chassis that have them. */
export function changedParts(before: Board, now: Board): Event[] {
  return (['systems', 'chassis'] as const).flatMap((kind) => {
    const uri = kind === 'systems' ? systemUri : chassisUri
    const ids = [...new Set([...Object.keys(before[kind]), ...Object.keys(now[kind])])]
    return ids.flatMap((id) => {
      const [old, other] = [before[kind][id], now[kind][id]]
      if (JSON.stringify(old) === JSON.stringify(other)) return []
      const change = old === undefined ? 'Created' : other === undefined ? 'Removed' : 'Changed'
      return event(`ResourceEvent.Resource${change}`, uri(id))
    })
  })
}

/** The first is the one that a system shows as its own. */
function outermostFirst(chassis: FoundParts['chassis']): string[] {
  const ids = Object.keys(chassis)
  const isOuter = (id: string) => chassis[id]?.containedBy === undefined && chassis[id]?.type !== undefined
  return [...ids.filter(isOuter), ...ids.filter((id) => !isOuter(id))]
}

function systemOf(board: Board, id: string, { system, processors, memory, storage }: FoundParts): BoardSystem {
  return {
    ...(board.systems[id] as BoardSystem),
    ...system,
    processors: mapped(processors, ({ family, ...processor }) => ({
      ...processor,
      architecture: architectureOf(`${processor.manufacturer} ${family}`)
    })),
    memory: mapped(memory, ({ type, moduleType, errorCorrection, ...module }) => ({
      ...module,
      type: known(memoryTypes, type),
      moduleType: known(moduleTypes, moduleType),
      errorCorrection: known(errorCorrections, errorCorrection)
    })),
    storage: mapped(storage, ({ name, controller, drives }) => ({
      name,
      controller: { ...controller, protocols: [], raidTypes: [] },
      drives: mapped(drives, ({ protocol, medium, ...drive }) => ({
        ...drive,
        medium: known(driveMedia, medium),
        ...oneOf('protocol', storageProtocols, protocol)
      })),
      volumes: {}
    }))
  }
}

const cablesOf = (cables: FoundParts['cables']) =>
  mapped(cables, ({ upstream, downstream, ...cable }) => ({
    ...cable,
    ...(upstream !== undefined && { upstream: { chassis: upstream } }),
    ...(downstream !== undefined && { downstream: { chassis: downstream } })
  }))

function chassisOf(
  pattern: BoardChassis,
  { type, supplies, fans, sensors, pcieDevices, pcieSlots, inputs, parts, ...found }: FoundChassis
): BoardChassis {
  const measured = ({ held, ...sensor }: FoundSensor) => ({
    ...{ ...sensor, reading: 0, standby: 0 },
    thresholds: thresholdsOf(held)
  })
  return {
    ...pattern,
    ...found,
    ...oneOf('type', chassisTypes, type),
    temperatures: sensors.filter(({ kind }) => kind === 'temperature').map(withoutKind),
    fans: fans.map(({ id, speed, ...fan }) => ({ ...fan, ...withoutKind(speed), fanId: id })),
    measurements: sensors.filter(({ kind }) => kind !== 'temperature').map(measured),
    loads: [],
    powerSupplies: supplies.map(({ power, ...supply }) => ({
      ...supply,
      ...(power !== undefined && { output: withoutKind(power) })
    })),
    pcieDevices: mapped(pcieDevices, ({ generation, ...device }) => ({
      ...device,
      ...oneOf('generation', pcieGenerations, generation)
    })),
    pcieSlots: pcieSlots.map(({ generation, ...slot }) => ({
      ...slot,
      ...oneOf('generation', pcieGenerations, generation)
    })),
    sensors: { ...pattern.sensors, inputs, parts }
  }
}

const withoutKind = ({ number, id, name, held }: FoundSensor) => ({
  ...{ number, id, name, reading: 0, standby: 0 },
  thresholds: thresholdsOf(held)
})

/** The same for all sensors whose devices hold the same: there can be a thousand. */
function thresholdsOf(held: FoundSensor['held']) {
  const thresholds = alike.get(held) ?? { held }
  alike.set(held, thresholds)
  return thresholds
}

const alike = new WeakMap<FoundSensor['held'], { readonly held: FoundSensor['held'] }>()

const mapped = <T, U>(parts: Readonly<Record<string, T>>, show: (part: T) => U) =>
  Object.fromEntries(Object.entries(parts).map(([id, part]) => [id, show(part)]))

/** One of the values that boards know; null for any other. */
const known = <V extends string>(values: readonly V[], value: string | undefined): V | null =>
  values.find((each) => each === value) ?? null

/** A member with one of the values that boards know; undefined for any other. */
function oneOf<N extends string, V extends string>(name: N, values: readonly V[], value: string | undefined) {
  const found = known(values, value)
  return found === null ? undefined : ({ [name]: found } as { readonly [K in N]: V })
}

/** The bus has no word for it: it is in the names of makers and of families. */
function architectureOf(names: string) {
  if (/\b(intel|amd|advanced micro devices|xeon|epyc)\b/i.test(names)) return 'x86'
  if (/\b(arm|ampere|nvidia grace|neoverse)\b/i.test(names)) return 'ARM'
  return /\b(ibm|power\d*)\b/i.test(names) ? 'Power' : null
}
