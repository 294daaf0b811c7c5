import type { Board, BoardAssembly, BoardChassis, BoardSystem } from '#data/board'
import { type Fru, readFru } from '#hal/fru.ts'
import type { Store } from '#runtime/store/store.ts'
import { readInventoryFile } from './inventory-file.ts'

/** A board with what the EEPROMs of its systems and chassis say, in place of what its file does. */
export function withFru(board: Board, { log }: Pick<Store, 'log'>): Board {
  /** The boards that EEPROMs describe, by the paths of these: a system and its chassis may have one in common. */
  const boards = new Map<string, BoardAssembly>()
  const mapped = <T extends { readonly fru?: string | undefined }>(
    parts: { readonly [id: string]: T },
    told: (part: T, fru: Fru) => T
  ) =>
    Object.fromEntries(
      Object.entries(parts).map(([id, part]) => {
        const fru = part.fru === undefined ? undefined : readInventoryFile(part.fru, 'an EEPROM', readFru, log)
        if (part.fru !== undefined && fru?.board !== undefined) boards.set(part.fru, assemblyOf(fru.board))
        return [id, fru === undefined ? part : told(part, fru)]
      })
    )
  const systems = mapped(board.systems, ofSystem)
  const chassis = Object.entries(mapped(board.chassis, ofChassis)).map(([id, each]) => {
    const paths = new Set([each.fru, ...each.systems.map((system) => systems[system]?.fru)])
    const assemblies = [...paths].flatMap((path) => boards.get(path ?? '') ?? [])
    return [id, assemblies.length === 0 ? each : { ...each, assemblies }] as const
  })
  return { ...board, systems, chassis: Object.fromEntries(chassis) }
}

function assemblyOf({ manufacturer, model, partNumber, serialNumber, madeAt }: NonNullable<Fru['board']>) {
  const known = { producer: manufacturer, model, partNumber, serialNumber, productionDate: madeAt }
  const entries = Object.entries(known).filter(([, value]) => value !== undefined)
  return { name: model ?? 'System board', context: 'SystemBoard', ...Object.fromEntries(entries) } as const
}

function ofSystem(system: BoardSystem, fru: Fru): BoardSystem {
  const ports = Object.entries(system.ethernetInterfaces).map(([id, port], index) => {
    return [id, { ...port, mac: fru.macs[index] ?? port.mac }] as const
  })
  return {
    ...system,
    manufacturer: fru.manufacturer ?? system.manufacturer,
    model: fru.model ?? system.model,
    partNumber: fru.partNumber ?? system.partNumber,
    serialNumber: fru.serialNumber ?? system.serialNumber,
    assetTag: fru.assetTag ?? system.assetTag,
    uuid: fru.uuid ?? system.uuid,
    ethernetInterfaces: Object.fromEntries(ports)
  }
}

function ofChassis(chassis: BoardChassis, fru: Fru): BoardChassis {
  return {
    ...chassis,
    manufacturer: fru.manufacturer ?? chassis.manufacturer,
    model: fru.model ?? chassis.model,
    partNumber: fru.chassisPartNumber ?? chassis.partNumber,
    serialNumber: fru.chassisSerialNumber ?? chassis.serialNumber,
    assetTag: fru.assetTag ?? chassis.assetTag
  }
}
