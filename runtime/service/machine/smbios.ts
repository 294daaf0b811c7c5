import type { Board, BoardSystem } from '#data/board'
import { readSmbios, type Smbios } from '#hal/smbios.ts'
import type { Store } from '#runtime/store/store.ts'
import { readInventoryFile } from './inventory-file.ts'

/** A board with what the firmware of its hosts says of them, where a file has that, in place of what its own file does. */
export function withSmbios(board: Board, { log }: Pick<Store, 'log'>): Board {
  const systems = Object.entries(board.systems).map(([id, system]) => {
    if (system.smbios === undefined) return [id, system] as const
    const told = readInventoryFile(system.smbios, 'the SMBIOS tables of a host', readSmbios, log)
    return [id, told === undefined ? system : of(system, told)] as const
  })
  return { ...board, systems: Object.fromEntries(systems) }
}

function of(system: BoardSystem, { processors, memory, ...told }: Smbios): BoardSystem {
  const numbered = <T extends object>(prefix: string, parts: readonly T[]) =>
    Object.fromEntries(parts.map((part, index) => [`${prefix}${index + 1}`, part]))
  const modules = memory.map((module, index) => ({ ...module, socket: 1, slot: index + 1 }))
  return {
    ...system,
    biosVersion: told.biosVersion ?? system.biosVersion,
    manufacturer: told.manufacturer ?? system.manufacturer,
    model: told.model ?? system.model,
    serialNumber: told.serialNumber ?? system.serialNumber,
    sku: told.sku ?? system.sku,
    assetTag: told.assetTag ?? system.assetTag,
    uuid: told.uuid ?? system.uuid,
    processors: processors.length === 0 ? system.processors : numbered('', processors),
    memory: modules.length === 0 ? system.memory : numbered('dimm', modules)
  }
}
