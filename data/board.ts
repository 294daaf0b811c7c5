import { shapeFaults } from './board-shape.ts'
import { parseBootName } from './boot-name.ts'
import {
  type BoardEthernetInterface,
  type BoardLoad,
  type BoardMemory,
  type BoardPcieDevice,
  type BoardPcieSlot,
  type BoardPowerSupply,
  type BoardProcessor,
  type BoardSensor,
  type BoardStorage,
  type BoardTemperature,
  type BoardVirtualMedia,
  inventoryFaults
} from './inventory.ts'
import type { LicenseKey } from './license.ts'
import { factoryKeysFault } from './secure-boot.ts'
import type { bootTargets } from './systems.ts'

/** `ChassisType`, as far as boards of this project have them. */
export const chassisTypes = ['RackMount', 'Blade', 'Enclosure'] as const

/** What one kind of machine is: its inventory and which back end stands behind each device (`data/boards/*.json`). */
export interface Board {
  readonly name: string
  /** Without one, the board takes no license. */
  readonly licenseKey?: LicenseKey
  readonly systems: { readonly [id: string]: BoardSystem }
  readonly chassis: { readonly [id: string]: BoardChassis }
  readonly managers: { readonly [id: string]: BoardManager }
}

/** A back end and its options, e.g. `{ "type": "sim", "onTime": 500 }`. */
export interface Backend {
  readonly type: string
  readonly [option: string]: unknown
}

export interface BoardSystem {
  readonly name: string
  readonly manufacturer: string
  readonly model: string
  readonly serialNumber: string
  readonly sku: string
  readonly partNumber: string
  readonly uuid: string
  readonly biosVersion: string
  readonly processors: { readonly [id: string]: BoardProcessor }
  readonly memory: { readonly [id: string]: BoardMemory }
  readonly storage: { readonly [id: string]: BoardStorage }
  readonly ethernetInterfaces: { readonly [id: string]: BoardEthernetInterface }
  readonly trustedModule?: { readonly firmwareVersion: string }
  readonly chassis: readonly string[]
  readonly manager: string
  readonly power: Backend
  readonly nvram: Backend
  /** `Id` of the attribute registry of its BIOS, a file in `registries/bios`. */
  readonly attributeRegistry: string
  /** The devices that attributes are about: the beginnings of their boot names, and of the attributes' names. */
  readonly biosDevices: readonly { readonly device: string; readonly prefix: string }[]
  readonly bootOptions: readonly BoardBootOption[]
  /** Of `PKDefault` and the like: EFI signature lists in base64. What is not named is empty. */
  readonly factoryKeys?: { readonly [database: string]: string }
}

export interface BoardBootOption {
  /** `Boot####` (UEFI 3.1.2). */
  readonly reference: string
  readonly displayName: string
  /** See `parseBootName`. */
  readonly structuredName: string
  readonly uefiDevicePath: string
  /** The BootSourceOverrideTarget that it answers to. */
  readonly alias: (typeof bootTargets)[number]
}

export interface BoardChassis {
  readonly type: (typeof chassisTypes)[number]
  readonly name: string
  readonly manufacturer: string
  readonly model: string
  readonly serialNumber: string
  readonly partNumber: string
  readonly sku: string
  readonly systems: readonly string[]
  readonly managers: readonly string[]
  /** The enclosure that it sits in. */
  readonly containedBy?: string
  readonly indicator: Backend
  /** What reads all that is measured here: temperatures, fans, the outputs of power supplies, loads. */
  readonly sensors: Backend
  readonly temperatures: readonly BoardTemperature[]
  /** In percent of full speed. */
  readonly fans: readonly BoardSensor[]
  readonly powerSupplies: readonly BoardPowerSupply[]
  readonly loads: readonly BoardLoad[]
  readonly pcieDevices: { readonly [id: string]: BoardPcieDevice }
  readonly pcieSlots: readonly BoardPcieSlot[]
  /** Of an enclosure only. */
  readonly enclosure?: {
    readonly model: string
    readonly uuid: string
    readonly onboardAdministrator: {
      readonly ipv4: string | null
      readonly ipv6: { readonly [name: string]: string }
      readonly mac: string | null
    }
  }
}

export interface BoardManager {
  readonly name: string
  readonly model: string
  readonly firmwareVersion: string
  /** The service makes both where they are not given. */
  readonly uuid?: string
  readonly serviceEntryPointUuid?: string
  readonly hostName: string
  readonly domain: string
  readonly ethernetInterfaces: { readonly [id: string]: { readonly name: string; readonly port: Backend } }
  readonly virtualMedia: { readonly [id: string]: BoardVirtualMedia }
  readonly systems: readonly string[]
  readonly chassis: readonly string[]
}

/** The member of an inventory that an identifier from outside names; names that objects inherit are no members. */
export function entry<T>(inventory: { readonly [id: string]: T }, id: string): T | undefined {
  return Object.hasOwn(inventory, id) ? inventory[id] : undefined
}

/**
 * What is wrong with what a board file holds, in one line each: members that are missing or of another type, else links
 * to what is not there and boot options that contradict one another.
 */
export function boardFaults(file: unknown): string[] {
  const faults = shapeFaults(file)
  if (faults.length > 0) return faults
  const board = file as Board
  const { systems, chassis, managers } = board
  const known = (from: string, inventory: object, ids: readonly string[]) => {
    for (const id of ids) if (!Object.hasOwn(inventory, id)) faults.push(`${from} names ${id}, which is not there`)
  }
  for (const [id, system] of Object.entries(systems)) {
    known(`systems/${id}/chassis`, chassis, system.chassis)
    known(`systems/${id}/manager`, managers, [system.manager])
    faults.push(...bootFaults(`systems/${id}/bootOptions`, system.bootOptions))
    for (const [database, keys] of Object.entries(system.factoryKeys ?? {})) {
      const fault = factoryKeysFault(database, keys)
      if (fault !== undefined) faults.push(`systems/${id}/factoryKeys: ${database} ${fault}`)
    }
  }
  for (const [id, each] of Object.entries(chassis)) {
    known(`chassis/${id}/systems`, systems, each.systems)
    known(`chassis/${id}/managers`, managers, each.managers)
    if (each.containedBy !== undefined) known(`chassis/${id}/containedBy`, chassis, [each.containedBy])
  }
  for (const [id, manager] of Object.entries(managers)) {
    known(`managers/${id}/systems`, systems, manager.systems)
    known(`managers/${id}/chassis`, chassis, manager.chassis)
  }
  return [...faults, ...inventoryFaults(board)]
}

function bootFaults(from: string, options: readonly BoardBootOption[]): string[] {
  const faults: string[] = []
  for (const [index, { reference, structuredName, uefiDevicePath }] of options.entries()) {
    if (!/^Boot[0-9A-F]{4}$/.test(reference)) faults.push(`${from}: ${reference} is not a boot option of UEFI`)
    if (parseBootName(structuredName) === undefined) faults.push(`${from}: ${structuredName} is not a boot name`)
    const before = options.slice(0, index)
    if (before.some((each) => each.reference === reference)) faults.push(`${from}: ${reference} stands twice`)
    if (before.some((each) => each.structuredName === structuredName)) {
      faults.push(`${from}: ${structuredName} stands twice`)
    }
    if (before.some((each) => each.uefiDevicePath === uefiDevicePath)) {
      faults.push(`${from}: ${uefiDevicePath} stands twice`)
    }
  }
  return faults
}
