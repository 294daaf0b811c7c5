/** What is built into a machine, as board files describe it. */

/** A back end and its options, e.g. `{ "type": "sim", "onTime": 500 }`. */
export interface Backend {
  readonly type: string
  readonly [option: string]: unknown
}

export interface BoardProcessor {
  readonly socket: string
  readonly manufacturer: string
  readonly model: string
  readonly cores: number
  readonly threads: number
  readonly maxSpeedMHz: number
}

export interface BoardMemory {
  /** As it is printed beside the slot. */
  readonly location: string
  /** The number of the processor that it hangs on, and of its slot there; from 1. */
  readonly socket: number
  readonly slot: number
  readonly manufacturer: string
  readonly partNumber: string
  readonly serialNumber: string
  readonly capacityMiB: number
  /** Megatransfers a second. */
  readonly speed: number
  readonly ranks: number
}

/** All modules together. */
export function memoryGiB(modules: { readonly [id: string]: BoardMemory }): number {
  return Object.values(modules).reduce((sum, { capacityMiB }) => sum + capacityMiB, 0) / 1024
}

/** A storage controller with the drives behind it. */
export interface BoardStorage {
  readonly name: string
  readonly controller: {
    readonly manufacturer: string
    readonly model: string
    readonly partNumber: string
    readonly serialNumber: string
    readonly firmwareVersion: string
    readonly speedGbps: number
    readonly protocols: readonly StorageProtocol[]
    /** What it makes volumes of; none where it hands drives through as they are. */
    readonly raidTypes: readonly RaidType[]
  }
  readonly drives: { readonly [id: string]: BoardDrive }
  /** As they leave the factory. */
  readonly volumes: { readonly [id: string]: BoardVolume }
}

export const storageProtocols = ['NVMe', 'SAS', 'SATA'] as const

export type StorageProtocol = (typeof storageProtocols)[number]

export const raidTypes = ['RAID0', 'RAID1', 'RAID5', 'RAID6', 'RAID10'] as const

export type RaidType = (typeof raidTypes)[number]

export interface BoardDrive {
  readonly bay: string
  readonly manufacturer: string
  readonly model: string
  readonly serialNumber: string
  readonly revision: string
  readonly capacityBytes: number
  readonly protocol: StorageProtocol
  readonly speedGbps: number
}

export interface BoardVolume {
  readonly name: string
  readonly raidType: RaidType
  /** Ids of drives of the same storage. */
  readonly drives: readonly string[]
}

/** A network port of a system. */
export interface BoardEthernetInterface {
  readonly name: string
  /** Six pairs of hex digits, upper case, with colons. */
  readonly mac: string
  readonly speedMbps: number
  readonly linkUp: boolean
}

/** Something that is measured: what it is at with the host on, and with the host off. */
export interface BoardSensor {
  /** Unique within the chassis. */
  readonly number: number
  readonly name: string
  readonly reading: number
  readonly standby: number
}

/** Where a temperature is taken (DSP0268, PhysicalContext). */
export const temperatureContexts = ['Intake', 'CPU', 'Memory', 'StorageDevice', 'SystemBoard', 'Exhaust'] as const

/** In degrees Celsius. */
export interface BoardTemperature extends BoardSensor {
  readonly context: (typeof temperatureContexts)[number]
  readonly critical: number
  readonly fatal: number
}

export const loads = ['CPUUtilization', 'MemoryBandwidth', 'IOBandwidth'] as const

/** How busy a part of the host is, in percent of what it can do. */
export interface BoardLoad extends BoardSensor {
  readonly load: (typeof loads)[number]
}

export interface BoardPowerSupply {
  readonly bay: number
  readonly model: string
  readonly partNumber: string
  readonly serialNumber: string
  readonly firmwareVersion: string
  readonly capacityWatts: number
  readonly inputVolts: number
  /** In watts. */
  readonly output: BoardSensor
}

export const pcieGenerations = ['Gen3', 'Gen4', 'Gen5'] as const

export type PcieGeneration = (typeof pcieGenerations)[number]

export interface BoardPcieDevice {
  readonly name: string
  readonly manufacturer: string
  readonly model: string
  readonly partNumber: string
  readonly serialNumber: string
  readonly firmwareVersion: string
  readonly multiFunction: boolean
  readonly generation: PcieGeneration
  readonly lanes: number
}

export const slotTypes = ['FullLength', 'HalfLength', 'LowProfile', 'OCP3Small'] as const

export interface BoardPcieSlot {
  readonly label: string
  readonly type: (typeof slotTypes)[number]
  readonly generation: PcieGeneration
  readonly lanes: number
  /** What is in it. */
  readonly device?: string
}

export const mediaTypes = ['CD', 'DVD', 'Floppy', 'USBStick'] as const

export interface BoardVirtualMedia {
  readonly name: string
  readonly types: readonly (typeof mediaTypes)[number][]
  /** Without one, nothing sees what is inserted. */
  readonly media?: Backend
}
