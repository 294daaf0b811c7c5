/*
 * The parts of a machine, as board files describe them. A new kind: declare its members here and list it in `board.ts`,
 * as optional if only some boards have it. An id of another part is `idIn('chassis')`; the build checks that it is there.
 * Handlers find a part with `entry(list, id) ?? notFound()`.
 */

import { sensorKinds, type ThresholdName, thresholdNames } from '#hal/sensors.ts'
import type { Immutable, Infer } from '#runtime/schema'
import { count, idIn, list, map, number, object, text } from './members.ts'

/** How a part is labelled, as far as that is known. */
const label = {
  manufacturer: text,
  model: text,
  partNumber: text,
  serialNumber: text,
  sparePartNumber: text,
  serviceLabel: { type: 'string', description: 'At its place, where another label than its name is there' }
} as const

export type Label = { readonly [N in keyof typeof label]?: string | undefined }

/** `ProcessorArchitecture` (DSP0268, Processor), and the `InstructionSet` of each. */
export const instructionSets = { x86: 'x86-64', ARM: 'ARM-A64', Power: 'PowerISA' } as const

export const architectures = ['x86', 'ARM', 'Power'] as const satisfies readonly (keyof typeof instructionSets)[]

/** One of `words`, or null: the machine does not tell it. */
const known = <const V extends readonly string[]>(words: V, description: string) =>
  ({ type: 'string', enum: words, nullable: true, description: `${description}; null: not known` }) as const

export const processor = object(
  { socket: text, cores: count, threads: count },
  { ...label, maxSpeedMHz: number, architecture: known(architectures, 'Default x86') }
)

/** `MemoryDeviceType`, `BaseModuleType` and `ErrorCorrection` (DSP0268, Memory), as far as boards have them. */
export const memoryTypes = ['DDR', 'DDR2', 'DDR3', 'DDR4', 'DDR5', 'HBM', 'HBM2', 'HBM3'] as const
export const moduleTypes = [
  ...(['RDIMM', 'UDIMM', 'LRDIMM', 'Mini_RDIMM', 'Mini_UDIMM', 'Die'] as const),
  ...(['SO_DIMM', 'SO_DIMM_16b', 'SO_DIMM_32b', 'SO_RDIMM_72b', 'SO_UDIMM_72b'] as const)
] as const
export const errorCorrections = ['NoECC', 'SingleBitECC', 'MultiBitECC', 'AddressParity'] as const

export type BoardMemory = Immutable<Infer<typeof memory>>

export const memory = object(
  {
    location: { type: 'string', description: 'As it is printed beside the slot' },
    socket: { type: 'integer', minimum: 1, description: 'The number of the processor that it is attached to, from 1' },
    slot: { type: 'integer', minimum: 1, description: 'The number of the slot at its processor, from 1' },
    capacityMiB: count
  },
  {
    ...label,
    speed: { type: 'number', description: 'Megatransfers a second' },
    ranks: count,
    type: known(memoryTypes, 'Default DDR5'),
    moduleType: known(moduleTypes, 'Default RDIMM'),
    errorCorrection: known(errorCorrections, 'Default MultiBitECC')
  }
)

/** All modules together. */
export function memoryGiB(modules: { readonly [id: string]: BoardMemory }): number {
  return Object.values(modules).reduce((sum, { capacityMiB }) => sum + capacityMiB, 0) / 1024
}

/** `MediaType` (DSP0268, Drive). */
export const driveMedia = ['HDD', 'SSD'] as const

export const storageProtocols = ['NVMe', 'SAS', 'SATA'] as const

export const raidTypes = ['RAID0', 'RAID1', 'RAID5', 'RAID6', 'RAID10'] as const

export type RaidType = (typeof raidTypes)[number]

const protocol = { type: 'string', enum: storageProtocols } as const
const raidType = { type: 'string', enum: raidTypes } as const

export type BoardVolume = Immutable<Infer<typeof volume>>

const volume = object({
  name: text,
  raidType,
  drives: { ...list(text), description: 'Ids of drives of the same storage' }
})

/** `SanitizationType` (DSP0268, Drive.SecureErase): the ways in which a drive erases itself. */
export const sanitizationTypes = ['BlockErase', 'CryptographicErase', 'Overwrite'] as const

/** `ResetType` (DSP0268, Drive.Reset): the ways in which a drive is reset alone. */
export const driveResets = ['ForceRestart', 'PowerCycle'] as const

/** A storage controller with the drives behind it. */
export type BoardStorage = Immutable<Infer<typeof storage>>

export const storage = object({
  name: text,
  controller: object(
    {
      protocols: list(protocol),
      raidTypes: {
        ...list(raidType),
        description: 'The RAID types that it supports; empty if it passes drives through'
      }
    },
    { ...label, firmwareVersion: text, speedGbps: number }
  ),
  drives: map(
    object(
      { bay: text, capacityBytes: count },
      {
        manufacturer: text,
        model: text,
        partNumber: text,
        serialNumber: text,
        revision: text,
        protocol,
        medium: known(driveMedia, 'Default: SSD with NVMe, otherwise HDD'),
        speedGbps: number,
        locator: { type: 'boolean', description: 'Whether its bay has a lamp to find it by' },
        resets: {
          ...list({ type: 'string', enum: driveResets }),
          description: 'The ways in which it can be reset. Without it, the drive cannot be reset alone'
        },
        sanitization: {
          ...list({ type: 'string', enum: sanitizationTypes }),
          description: 'The ways in which it can be erased. Without it, the drive cannot be erased alone'
        }
      }
    )
  ),
  volumes: { ...map(volume), description: 'The volumes of the factory state' }
})

export const ethernetInterface = object({
  name: text,
  mac: {
    type: 'string',
    pattern: '^[0-9A-F]{2}(:[0-9A-F]{2}){5}$',
    description: 'Six pairs of hex digits, upper case, with colons'
  },
  speedMbps: number,
  linkUp: { type: 'boolean' }
})

export { type ThresholdName, thresholdNames } from '#hal/sensors.ts'

const thresholds = {
  ...object(
    {},
    {
      ...(Object.fromEntries(thresholdNames.map((name) => [name, number])) as { [N in ThresholdName]: typeof number }),
      hysteresis: {
        type: 'number',
        minimum: 0,
        description: 'How far a reading must return; default: 2 for temperatures'
      },
      dwell: { type: 'number', minimum: 0, description: 'Seconds for which a reading must be beyond a threshold' },
      writable: { type: 'boolean', description: 'Clients may set thresholds' },
      held: {
        ...list({ type: 'string', enum: thresholdNames }),
        description: 'The thresholds that its device holds: clients may set these, and there are no others'
      }
    }
  ),
  description: 'Readings that change the health, beside the critical and fatal ones of temperatures'
} as const

/** Something that is measured. */
const measured = {
  number: { type: 'integer', description: 'Unique within the chassis' },
  name: text,
  reading: { type: 'number', description: 'With the host on' },
  standby: { type: 'number', description: 'With the host off' }
} as const

const optional = {
  id: { type: 'string', pattern: '^[\\w.-]+$', description: 'The last part of its URI; default: the number' },
  thresholds
} as const

const sensor = object(measured, optional)

export type BoardFan = Immutable<Infer<typeof fan>>

/** A fan by the sensor of its speed. */
export const fan = object(measured, {
  ...optional,
  ...label,
  fanId: { ...optional.id, description: 'The last part of its own URI; default: the number' }
})

/** Where a temperature is taken (DSP0268, PhysicalContext). */
export const temperatureContexts = ['Intake', 'CPU', 'Memory', 'StorageDevice', 'SystemBoard', 'Exhaust'] as const

export const temperature = object(measured, {
  ...optional,
  context: { type: 'string', enum: temperatureContexts },
  critical: number,
  fatal: number
})

export const loads = ['CPUUtilization', 'MemoryBandwidth', 'IOBandwidth'] as const

export const load = object({ ...measured, load: { type: 'string', enum: loads } }, optional)

export const measurement = object(
  { ...measured, kind: { type: 'string', enum: sensorKinds } },
  { ...optional, minimum: number, maximum: number }
)

export type BoardPowerSupply = Immutable<Infer<typeof powerSupply>>

export const powerSupply = object(
  { bay: count },
  {
    ...label,
    id: { ...optional.id, description: 'The last part of its URI; default: the bay' },
    name: text,
    productionDate: { type: 'string', format: 'date-time' },
    output: { ...sensor, description: 'The power that it gives, in watts. Without it, its power is not measured' },
    firmwareVersion: text,
    capacityWatts: number,
    inputVolts: number,
    measures: {
      type: 'string',
      enum: ['Input', 'Output'],
      description: 'Input: its sensor measures the power that it takes. Default Output'
    }
  }
)

export const pcieGenerations = ['Gen3', 'Gen4', 'Gen5'] as const

const generation = { type: 'string', enum: pcieGenerations } as const

const pciId = { type: 'string', pattern: '^0x[0-9A-F]{4}$' } as const

export type BoardPcieFunction = Immutable<Infer<typeof pcieFunction>>

const pcieFunction = object({
  classCode: { type: 'string', pattern: '^0x[0-9A-F]{6}$', description: 'Base class, subclass, programming interface' },
  vendorId: pciId,
  deviceId: pciId,
  subsystemVendorId: pciId,
  subsystemId: pciId
})

/** `DeviceClass` (DSP0268, PCIeFunction) by the base class of the class code (PCI Code and ID Assignment). */
const baseClasses = [
  'UnclassifiedDevice',
  'MassStorageController',
  'NetworkController',
  'DisplayController',
  'MultimediaController',
  'MemoryController',
  'Bridge',
  'CommunicationController',
  'GenericSystemPeripheral',
  'InputDeviceController',
  'DockingStation',
  'Processor',
  'SerialBusController',
  'WirelessController',
  'IntelligentController',
  'SatelliteCommunicationsController',
  'EncryptionController',
  'SignalProcessingController',
  'ProcessingAccelerators',
  'NonEssentialInstrumentation'
] as const

export const deviceClasses = [...baseClasses, 'Other'] as const

export function deviceClassOf({ classCode }: BoardPcieFunction): (typeof deviceClasses)[number] {
  return baseClasses[Number(classCode.slice(0, 4))] ?? 'Other'
}

const wwn = { type: 'string', pattern: '^[0-9A-F]{16}$', description: 'Hex digits, upper case' } as const

/** A network port of a card: of an Ethernet port, the interface of the host says the rest. */
const networkPort = object(
  { function: { ...count, description: 'The number of the function of the card that the host uses it by, from 0' } },
  {
    ethernetInterface: { type: 'string', description: 'The id of the Ethernet interface of a system in the chassis' },
    fibreChannel: object({ wwnn: wwn, wwpn: wwn, speedGbps: number, linkUp: { type: 'boolean' } })
  }
)

export type BoardPcieDevice = Immutable<Infer<typeof pcieDevice>>

export const pcieDevice = object(
  { name: text, functions: { ...list(pcieFunction), description: 'By their numbers, from 0' } },
  {
    ...label,
    firmwareVersion: text,
    generation,
    lanes: count,
    ports: { ...map(networkPort), description: 'Of a network adapter' }
  }
)

/** Where an assembly is (DSP0268, PhysicalContext). */
export const assemblyContexts = ['SystemBoard', 'Backplane', 'PowerSubsystem', 'Chassis'] as const

export type BoardAssembly = Immutable<Infer<typeof assembly>>

/** A board or another replaceable part, as it is labelled. */
export const assembly = object(
  { name: text, context: { type: 'string', enum: assemblyContexts } },
  {
    producer: text,
    model: text,
    partNumber: text,
    serialNumber: text,
    version: text,
    productionDate: { type: 'string', format: 'date-time' }
  }
)

/** A battery or a capacitor that keeps what a cache holds, or bridges a loss of power. */
export const battery = object({ name: text }, { ...label, firmwareVersion: text, capacityWattHours: number })

export const slotTypes = ['FullLength', 'HalfLength', 'LowProfile', 'OCP3Small'] as const

export const pcieSlot = object(
  { label: text },
  {
    type: { type: 'string', enum: slotTypes },
    generation,
    lanes: count,
    device: { type: 'string', description: 'The id of the card that is in it' }
  }
)

export const mediaTypes = ['CD', 'DVD', 'Floppy', 'USBStick'] as const

export type MediaType = (typeof mediaTypes)[number]

export type BoardCable = Immutable<Infer<typeof cable>>

export type BoardCableEnd = Immutable<Infer<typeof cableEnd>>

const cableEnd = object({ chassis: idIn('chassis') }, { adapter: text, port: text })

/** A cable; the upstream end is nearer to the processors. */
export const cable = object(
  { name: text },
  {
    ...label,
    type: { type: 'string', description: 'Such as Ethernet, FibreChannel, PCIe, Power, SAS, USB' },
    lengthMeters: number,
    upstream: cableEnd,
    downstream: cableEnd
  }
)
