import type { Immutable, Infer } from '#runtime/schema'
import {
  assembly,
  battery,
  cable,
  ethernetInterface,
  fan,
  load,
  measurement,
  mediaTypes,
  memory,
  pcieDevice,
  pcieSlot,
  powerSupply,
  processor,
  storage,
  temperature
} from './inventory.ts'
import {
  type BackendOptions,
  type BackendSchema,
  backendSchema,
  idIn,
  list,
  map,
  object,
  text,
  uuid,
  version
} from './members.ts'

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

/** `PowerMode` (DSP0268, ComputerSystem). */
export const powerModes = [
  'MaximumPerformance',
  'BalancedPerformance',
  'PowerSaving',
  'Static',
  'OSControlled',
  'EfficiencyFavorPower',
  'EfficiencyFavorPerformance'
] as const

/** `ChassisType`, as far as boards of this project have them. */
export const chassisTypes = ['RackMount', 'Blade', 'Enclosure'] as const

export type BoardBootOption = Immutable<Infer<typeof bootOption>>

const bootOption = object({
  reference: { type: 'string', pattern: '^Boot[0-9A-F]{4}$', description: 'Boot#### (UEFI 3.1.2)' },
  displayName: text,
  structuredName: {
    type: 'string',
    description: '<DeviceType>.<Location>.<Instance>[.<Sub-instance>[.<Qualifier>]], e.g. NIC.LOM.1.1.IPv4'
  },
  uefiDevicePath: text,
  alias: { type: 'string', enum: bootTargets, description: 'The BootSourceOverrideTarget that it answers to' }
})

const fru = {
  type: 'string',
  description:
    'The path of the EEPROM with its manufacturer, numbers, UUID and addresses (IPMI FRU), such as /sys/bus/i2c/devices/0-0050/eeprom'
} as const

/** How a system or a chassis is labelled, as far as that is known. */
const label = {
  ...{ manufacturer: text, model: text, serialNumber: text, partNumber: text, sku: text },
  assetTag: { type: 'string', description: 'The asset tag until a client sets one' }
} as const

const softwareId = {
  ...uuid,
  description: 'The class of its firmware, the same on all machines of one kind. fwupd identifies the firmware by it'
} as const

const minimumVersion = {
  ...version,
  description: 'The minimum version of its firmware; an installed image can raise it'
} as const

export type BoardSystem = Immutable<Infer<ReturnType<typeof system>>>

const system = (backend: BackendSchema) =>
  object(
    {
      name: text,
      processors: map(processor),
      memory: map(memory),
      storage: map(storage),
      ethernetInterfaces: map(ethernetInterface),
      chassis: list(idIn('chassis')),
      manager: idIn('managers'),
      power: backend('power')
    },
    {
      ...label,
      uuid,
      biosVersion: text,
      attributeRegistry: {
        type: 'string',
        description:
          'Id of the attribute registry of its BIOS, a file in registries/bios; with bios, of the one that is made. Without it, the system shows no settings'
      },
      biosDevices: {
        ...list(object({ device: text, prefix: text })),
        description:
          "The devices that attributes are about: the beginnings of their boot names, and of the attributes' names"
      },
      bios: {
        ...backend('bios'),
        description:
          'The program that its firmware takes BIOS settings from. Without one the service applies them before each boot, through nvram'
      },
      bootOptions: {
        ...list(bootOption),
        description: 'The boot options that its firmware finds; they go through nvram'
      },
      bootOverride: {
        ...backend('bootOverride'),
        description:
          'The program that its firmware asks for the boot override. Without one it is in BootNext of its variables'
      },
      console: { ...backend('console'), description: 'Its serial console; optional' },
      drives: {
        ...map(backend('drive')),
        description:
          'Devices of its drives, by <storage>/<drive>. Without one only the drive of a simulated host can be erased: the task waits, and nothing else is done'
      },
      firmware: {
        ...backend('firmware'),
        description: 'The firmware device of its BIOS. Without it, the BIOS cannot be updated'
      },
      fru,
      legacyBoot: {
        type: 'boolean',
        description: 'Whether its firmware also boots as a BIOS does: its boot override has the mode Legacy as well'
      },
      minimumVersion,
      dumps: { ...backend('dumps'), description: 'The program that collects dumps of it; optional' },
      eventLog: {
        ...backend('eventLog'),
        description:
          'The program that has the event log of the machine. Without it, the service has only logs of its own'
      },
      nvram: {
        ...backend('nvram'),
        description:
          'The UEFI variables of its firmware. Without them it has no keys of secure boot, boot options or boot order to show'
      },
      postCodes: { ...backend('postCodes'), description: 'Where its firmware reports POST codes; optional' },
      powerMode: {
        ...object({ attribute: text, modes: map(text) }),
        description: 'The attribute of its BIOS that is its PowerMode, and the value of each mode'
      },
      smbios: {
        type: 'string',
        description: 'The path of a file with its SMBIOS tables, in the form of /sys/firmware/dmi/tables/DMI'
      },
      softwareId,
      watchdog: {
        ...backend('watchdog'),
        description: 'The program that runs the watchdog timer of its host. Without one it is that of power, if any'
      },
      trustedModule: object({ firmwareVersion: text }),
      factoryKeys: {
        ...map(text),
        description: 'The contents of PKDefault and the other defaults: EFI signature lists in base64. Others are empty'
      }
    }
  )

export type BoardChassis = Immutable<Infer<ReturnType<typeof chassis>>>

const chassis = (backend: BackendSchema) =>
  object(
    {
      type: { type: 'string', enum: chassisTypes },
      name: text,
      systems: list(idIn('systems')),
      managers: list(idIn('managers')),
      indicator: backend('indicator'),
      sensors: {
        ...backend('sensors'),
        description: 'Reads all sensors of the chassis: temperatures, fans, outputs of power supplies, loads'
      },
      temperatures: { ...list(temperature), description: 'In degrees Celsius' },
      fans: { ...list(fan), description: 'In percent of full speed' },
      loads: {
        ...list(load),
        description: 'The load of parts of the host, in percent of their capacity'
      },
      powerSupplies: list(powerSupply),
      pcieDevices: map(pcieDevice),
      pcieSlots: list(pcieSlot)
    },
    {
      ...label,
      sparePartNumber: text,
      serviceLabel: { type: 'string', description: 'At its place, as long as clients set no other one' },
      assemblies: list(assembly),
      batteries: map(battery),
      measurements: {
        ...list(measurement),
        description: 'What else is measured, such as voltages and currents, with the range of the sensor'
      },
      containedBy: { ...idIn('chassis'), description: 'The enclosure that it sits in' },
      fru,
      powerLimit: {
        ...backend('powerLimit'),
        description: 'Keeps the power of the chassis below a limit. Without it, clients cannot set one'
      },
      enclosure: {
        ...object({
          model: text,
          uuid,
          onboardAdministrator: object({
            ipv4: { type: 'string', nullable: true },
            ipv6: map(text),
            mac: { type: 'string', nullable: true }
          })
        }),
        description: 'For enclosures only'
      }
    }
  )

export type BoardManager = Immutable<Infer<ReturnType<typeof manager>>>

const madeUuid = { ...uuid, description: 'Absent: the service makes one' } as const

const manager = (backend: BackendSchema) =>
  object(
    {
      name: text,
      model: text,
      firmwareVersion: text,
      hostName: text,
      domain: text,
      ethernetInterfaces: map(object({ name: text, port: backend('port') })),
      virtualMedia: map(
        object(
          { name: text, types: list({ type: 'string', enum: mediaTypes }) },
          { media: { ...backend('media'), description: 'The drive of the host. Without it, no host sees the medium' } }
        )
      ),
      systems: list(idIn('systems')),
      chassis: list(idIn('chassis'))
    },
    {
      firmware: {
        ...backend('firmware'),
        description: 'Its own firmware device. Without it, the controller cannot be updated'
      },
      minimumVersion,
      softwareId,
      dumps: { ...backend('dumps'), description: 'The program that collects dumps of it; optional' },
      network: {
        ...backend('network'),
        description:
          'The program that knows its host name, its time servers and its clock. Without it, the service has these'
      },
      users: {
        ...backend('users'),
        description: 'The program that knows the users of the machine. Without it, the service has users of its own'
      },
      certificates: {
        ...backend('certificates'),
        description:
          'The program that has the certificates of HTTPS and of authorities. Without it, they are those of the service'
      },
      uuid: madeUuid,
      serviceEntryPointUuid: madeUuid
    }
  )

/** Which key signs for a board, licenses or updates: Ed25519 as a JSON Web Key (RFC 8037). */
export type SigningKey = Immutable<Infer<typeof signingKey>>

const signingKey = object(
  { kty: { type: 'string', enum: ['OKP'] }, crv: { type: 'string', enum: ['Ed25519'] }, x: text },
  {
    d: {
      type: 'string',
      description:
        'The private half: simulated and virtual machines have one, so that licenses and updates can be made for them'
    }
  }
)

/** The own numbers and addresses of one of many machines that are alike, by those of their kind. */
export interface Individual {
  /** The numbers of its machine that are in several places. */
  readonly numbers: MachineNumbers
  /** Of a machine or of a part of it. */
  serialNumber(own: string): string
  /** Letters and digits as many as those of its own, so that they still are a number in base 36. */
  serviceTag(own: string): string
  uuid(own: string): string
  /** A MAC address, or a longer name by IEEE such as a WWN: hex digits alone, upper case, as those that it gives. */
  address(own: string): string
}

/** Numbers of a whole machine, which its maker also puts into names of hosts and into subjects of certificates. */
export interface MachineNumbers {
  readonly serviceTags: readonly string[]
  readonly serialNumbers: readonly string[]
}

/** One kind of machine: its inventory, and the back end of each device (`data/boards/*.json`). */
export type Board = Immutable<Infer<ReturnType<typeof boardSchema>>> & {
  /** Of one of many that are alike. */
  readonly individual?: Individual
}

/** The schema of a board file. @param backends declare the options that they take */
export const boardSchema = (backends: BackendOptions) => {
  const backend = backendSchema(backends)
  return object(
    { name: text, systems: map(system(backend)), chassis: map(chassis(backend)), managers: map(manager(backend)) },
    {
      $schema: text,
      inventory: {
        ...backend('inventory'),
        description: 'The program that knows the parts of the machine: those of this file are then a pattern for them'
      },
      cables: { ...map(cable), description: 'Cables inside the machine, and those that lead out of it' },
      licenseKey: {
        ...signingKey,
        description: 'The key that signs its licenses. Without it, the board accepts no license'
      },
      updateKey: {
        ...signingKey,
        description: "The manufacturer's key that signs its updates. Without it, the board accepts no update"
      },
      updateKeyLms: {
        type: 'string',
        pattern: '^[A-Za-z0-9+/]{107}=$',
        description:
          'A second key of the manufacturer, for LMS (RFC 8554; SubjectPublicKeyInfo in Base64). With it, updates need both signatures'
      }
    }
  )
}

/** The member of an inventory that an identifier from outside names; names that objects inherit are no members. */
export function entry<T>(inventory: { readonly [id: string]: T }, id: string): T | undefined {
  return Object.hasOwn(inventory, id) ? inventory[id] : undefined
}
