import type { Sensor, ThresholdName } from './sensors.ts'

/** How a part is labelled, as far as that is known. */
export interface Label {
  readonly manufacturer?: string
  readonly model?: string
  readonly partNumber?: string
  readonly serialNumber?: string
  readonly sparePartNumber?: string
  /** Of its place. */
  readonly serviceLabel?: string
}

/** The objects that tell the health of a part. */
export interface WatchedPart {
  /** Its object, in terms of the device of sensors. */
  readonly object: string
  /** Its fault lamp, likewise. */
  readonly lamp?: string
}

/** A sensor that was found. Its number and its id stay the same as long as its object has the same name. */
export interface FoundSensor {
  readonly number: number
  readonly id: string
  readonly name: string
  readonly kind: Sensor['kind']
  readonly minimum?: number
  readonly maximum?: number
  /** The thresholds that it has. */
  readonly held: readonly ThresholdName[]
}

interface FoundFan extends Label {
  readonly id: string
  readonly speed: FoundSensor
}

export interface FoundSupply extends Label {
  readonly id: string
  readonly name: string
  /** Its number in the chassis. */
  readonly bay: number
  /** The sensor of its power; absent if it has none. */
  readonly power?: FoundSensor
  readonly measures: 'Input' | 'Output'
  /** As in RFC 3339. */
  readonly productionDate?: string
}

interface FoundFunction {
  readonly classCode: string
  readonly vendorId: string
  readonly deviceId: string
  readonly subsystemVendorId: string
  readonly subsystemId: string
}

export interface FoundChassis extends Label {
  readonly name: string
  readonly assetTag?: string
  /** As the bus names it: `RackMount`. */
  readonly type?: string
  readonly containedBy?: string
  readonly supplies: readonly FoundSupply[]
  readonly fans: readonly FoundFan[]
  /** All but those of fans and of the power of supplies. */
  readonly sensors: readonly FoundSensor[]
  readonly pcieDevices: Readonly<
    Record<
      string,
      Label & {
        readonly name: string
        readonly functions: readonly FoundFunction[]
        readonly generation?: string
        readonly lanes?: number
      }
    >
  >
  readonly pcieSlots: readonly {
    readonly label: string
    readonly generation?: string
    readonly lanes?: number
    readonly device?: string
  }[]
  /** Options of the chassis's sensors device: where the reading of each sensor comes from. */
  readonly inputs: Readonly<Record<string, { readonly object: string; readonly most?: number }>>
  /** Likewise: its parts and itself, by their names, such as `fans/fan0`. */
  readonly parts: Readonly<Record<string, WatchedPart>>
}

/** The parts of a machine. Keys are ids, which stay the same as long as the parts have the same names. */
export interface FoundParts {
  readonly system: Label & { readonly uuid?: string; readonly assetTag?: string }
  readonly processors: Readonly<
    Record<
      string,
      Label & {
        readonly socket: string
        readonly cores: number
        readonly threads: number
        /** As people name it: Intel Xeon processor. */
        readonly family?: string
        readonly maxSpeedMHz?: number
      }
    >
  >
  readonly memory: Readonly<
    Record<
      string,
      Label & {
        readonly location: string
        /** From 1. */
        readonly socket: number
        readonly slot: number
        readonly capacityMiB: number
        readonly speed?: number
        readonly ranks?: number
        /** Words of the bus: `DDR5`, `RDIMM`, `MultiBitECC`. */
        readonly type?: string
        readonly moduleType?: string
        readonly errorCorrection?: string
      }
    >
  >
  readonly storage: Readonly<
    Record<
      string,
      {
        readonly name: string
        readonly controller: Label
        readonly drives: Readonly<
          Record<
            string,
            Omit<Label, 'serviceLabel'> & {
              readonly bay: string
              readonly capacityBytes: number
              readonly protocol?: string
              /** `SSD`. */
              readonly medium?: string
            }
          >
        >
      }
    >
  >
  /** Those that lead to a chassis have its id. */
  readonly cables: Readonly<
    Record<
      string,
      Label & {
        readonly name: string
        readonly type?: string
        readonly lengthMeters?: number
        readonly upstream?: string
        readonly downstream?: string
      }
    >
  >
  /** Parts of the system, and cables, as {@link FoundChassis.parts}. */
  readonly parts: Readonly<Record<string, WatchedPart>>
  readonly chassis: Readonly<Record<string, FoundChassis>>
}

/** Another program that looks for the parts of the machine. */
export interface Inventory {
  /** Resolves when what is there has been read, or the attempt has failed. */
  readonly settled: Promise<void>
  /** From memory. The parts that a program has reported remain while it is away. */
  read(): FoundParts
  /** Calls back when the machine has other parts than before, and has had these for a while. */
  on(listener: () => void): () => void
  close(): Promise<void>
}
