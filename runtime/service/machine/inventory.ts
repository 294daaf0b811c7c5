import type { Board, BoardChassis, BoardSystem } from '#data/board'
import { chassisTypes, pcieGenerations, storageProtocols } from '#data/board'
import type { FoundChassis, FoundParts, FoundSensor } from '#hal/inventory.ts'

/**
 * A board with the parts that another program has found, in place of those of its file: the first system and the first
 * chassis of the file are the pattern for them. A chassis that was not found is the one of the file.
 */
export function withInventory(board: Board, found: FoundParts): Board {
  const [system] = Object.keys(board.systems)
  const [chassis] = Object.keys(board.chassis)
  if (system === undefined || chassis === undefined) return board
  const ids = outermostFirst(found.chassis)
  const pattern = board.chassis[chassis] as BoardChassis
  const all = ids.map((id) => [id, chassisOf(pattern, found.chassis[id] as FoundChassis)] as const)
  if (ids.length === 0) return { ...board, systems: { ...board.systems, [system]: systemOf(board, system, found) } }
  return {
    ...board,
    systems: { ...board.systems, [system]: { ...systemOf(board, system, found), chassis: ids } },
    chassis: Object.fromEntries(all),
    managers: Object.fromEntries(Object.entries(board.managers).map(([id, each]) => [id, { ...each, chassis: ids }]))
  }
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
    processors,
    memory,
    storage: mapped(storage, ({ name, drives }) => ({
      name,
      controller: { protocols: [], raidTypes: [] },
      drives: mapped(drives, ({ protocol, ...drive }) => ({
        ...drive,
        ...oneOf('protocol', storageProtocols, protocol)
      })),
      volumes: {}
    }))
  }
}

function chassisOf(
  pattern: BoardChassis,
  { type, supplies, sensors, pcieDevices, pcieSlots, inputs, ...found }: FoundChassis
): BoardChassis {
  const measured = ({ held, ...sensor }: FoundSensor) => ({ ...sensor, reading: 0, standby: 0, thresholds: { held } })
  const [temperatures, fans] = (['temperature', 'fan'] as const).map((kind) =>
    sensors.filter((each) => each.kind === kind).map(withoutKind)
  )
  const measurements = sensors.filter(({ kind }) => kind !== 'temperature' && kind !== 'fan').map(measured)
  return {
    ...pattern,
    ...found,
    ...(oneOf('type', chassisTypes, type) ?? { type: pattern.type }),
    temperatures: temperatures ?? [],
    fans: fans ?? [],
    measurements,
    loads: [],
    powerSupplies: supplies.flatMap(({ power, ...supply }) => {
      return power === undefined ? [] : [{ ...supply, output: withoutKind(power) }]
    }),
    pcieDevices: mapped(pcieDevices, ({ generation, ...device }) => ({
      ...device,
      ...oneOf('generation', pcieGenerations, generation)
    })),
    pcieSlots: pcieSlots.map(({ generation, ...slot }) => ({
      ...slot,
      ...oneOf('generation', pcieGenerations, generation)
    })),
    sensors: { ...pattern.sensors, inputs }
  }
}

const withoutKind = ({ number, id, name, held }: FoundSensor) => ({
  ...{ number, id, name, reading: 0, standby: 0 },
  thresholds: { held }
})

const mapped = <T, U>(parts: Readonly<Record<string, T>>, show: (part: T) => U) =>
  Object.fromEntries(Object.entries(parts).map(([id, part]) => [id, show(part)]))

/** A member with one of the values that boards know; undefined for any other. */
function oneOf<N extends string, V extends string>(name: N, values: readonly V[], value: string | undefined) {
  const known = values.find((each) => each === value)
  return known === undefined ? undefined : ({ [name]: known } as { readonly [K in N]: V })
}
