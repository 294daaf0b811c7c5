import type {
  Backend,
  BoardEthernetInterface,
  BoardLoad,
  BoardMemory,
  BoardPcieDevice,
  BoardPcieSlot,
  BoardPowerSupply,
  BoardProcessor,
  BoardSensor,
  BoardStorage,
  BoardTemperature,
  BoardVirtualMedia
} from './inventory.ts'

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

/** `BootSourceOverrideTarget`. */
export const bootTargets = [
  'None',
  'Cd',
  'Hdd',
  'Usb',
  'SDCard',
  'Utilities',
  'Diags',
  'BiosSetup',
  'Pxe',
  'UefiShell',
  'UefiHttp',
  'UefiTarget'
] as const

/** Which key signs the licenses of a board: Ed25519 as a JSON Web Key (RFC 8037). */
export interface LicenseKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  /** The private half: the simulated machine has one, so that licenses can be made for it. */
  readonly d?: string
}
