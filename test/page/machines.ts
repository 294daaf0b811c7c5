import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { directory, type Scope } from '#test/host/server.ts'
import { others } from '#test/runtime/recording/machines.ts'
import { mockups, writeResources } from '#test/runtime/recording/mockups.ts'
import { recorded } from '#test/runtime/recording/recorded.ts'

// biome-ignore lint/suspicious/noExplicitAny: machines are what makers serve
type Body = Record<string, any>

type Resources = Readonly<Record<string, Body>>

const link = (uri: string) => ({ '@odata.id': uri })

/** Resources as a maker has them: each with its type, and its id by its path. */
function resourcesAt(folder: string, end: '' | '/', of: Readonly<Record<string, readonly [type: string, Body]>>) {
  return Object.fromEntries(
    Object.entries(of).map(([name, [type, body]]): [string, Body] => {
      const path = `${folder}/${name}`
      const odata = { '@odata.id': `${path}${end}`, '@odata.type': `#${type}.${type.split('.')[0]}` }
      return [path, { ...odata, Id: name.split('/').at(-1), Name: name.split('/').at(-1), ...body }]
    })
  )
}

/** A collection with members of these ids. */
function collection(uri: string, end: '' | '/', ...ids: readonly string[]): Body {
  return { Members: ids.map((id) => link(`${uri}/${id}${end}`)), 'Members@odata.count': ids.length }
}

/** Adds members to some resources. */
function extended(of: Resources, more: Resources): Resources {
  return Object.fromEntries(
    [...new Set([...Object.keys(of), ...Object.keys(more)])].map((path) => [path, { ...of[path], ...more[path] }])
  )
}

const [flatbed, flatbedChassis] = ['/redfish/v1/Systems/System.Embedded.1', '/redfish/v1/Chassis/System.Embedded.1']

/**
 * An older machine: temperatures in `Thermal` and watts in `Power` only, no slashes at the ends, parts of which little is
 * known, empty slots, a second chassis.
 */
const contoso = extended(mockups.contoso!, {
  [flatbed]: {
    Memory: link(`${flatbed}/Memory`),
    Storage: link(`${flatbed}/Storage`),
    MemorySummary: { TotalSystemMemoryGiB: null, Status: { Health: null } },
    ProcessorSummary: { Count: 2, Model: null },
    Status: { State: 'Enabled', Health: 'Warning', HealthRollup: 'Critical' }
  },
  [flatbedChassis]: {
    Thermal: link(`${flatbedChassis}/Thermal`),
    PCIeDevices: link(`${flatbedChassis}/PCIeDevices`),
    Assembly: link(`${flatbedChassis}/Assembly`),
    NetworkAdapters: link(`${flatbedChassis}/NetworkAdapters`),
    Status: { State: 'Enabled', Health: null }
  },
  ...resourcesAt(flatbed, '', {
    Memory: ['MemoryCollection', collection(`${flatbed}/Memory`, '', 'DIMM.A1', 'DIMM.A2')],
    'Memory/DIMM.A1': ['Memory.v1_17_0', { CapacityMiB: null, MemoryDeviceType: null, Status: { Health: 'OK' } }],
    'Memory/DIMM.A2': ['Memory.v1_17_0', { CapacityMiB: 0, Status: { State: 'Absent', Health: null } }],
    Storage: ['StorageCollection', collection(`${flatbed}/Storage`, '', 'RAID.1')],
    'Storage/RAID.1': [
      'Storage.v1_13_0',
      { Drives: [link(`${flatbed}/Storage/RAID.1/Drives/Bay.0`)], Volumes: link(`${flatbed}/Storage/RAID.1/Volumes`) }
    ],
    'Storage/RAID.1/Drives/Bay.0': [
      'Drive.v1_15_0',
      {
        Name: 'Disk in bay 0',
        CapacityBytes: null,
        MediaType: 'HDD',
        Status: { State: 'StandbyOffline', Health: 'Critical' }
      }
    ],
    'Storage/RAID.1/Volumes': [
      'VolumeCollection',
      collection(`${flatbed}/Storage/RAID.1/Volumes`, '', 'Disk.Virtual.0')
    ],
    'Storage/RAID.1/Volumes/Disk.Virtual.0': [
      'Volume.v1_8_0',
      { Name: null, RAIDType: null, CapacityBytes: 599_550_590_976 }
    ]
  }),
  ...resourcesAt(flatbedChassis, '', {
    Thermal: [
      'Thermal.v1_7_1',
      {
        Temperatures: [
          {
            '@odata.id': `${flatbedChassis}/Thermal#/Temperatures/0`,
            MemberId: 'CPU1',
            Name: 'CPU1 Temp',
            ReadingCelsius: 47,
            UpperThresholdCritical: 93,
            Status: { Health: 'OK' }
          },
          {
            '@odata.id': `${flatbedChassis}/Thermal#/Temperatures/1`,
            MemberId: 'Inlet',
            Name: 'Inlet Temp',
            ReadingCelsius: null,
            UpperThresholdCritical: null,
            Status: { State: 'Absent' }
          }
        ],
        Fans: [
          {
            '@odata.id': `${flatbedChassis}/Thermal#/Fans/0`,
            MemberId: 'Fan.1A',
            FanName: 'Fan1A',
            Reading: 5880,
            ReadingUnits: 'RPM'
          }
        ]
      }
    ],
    PCIeDevices: ['PCIeDeviceCollection', collection(`${flatbedChassis}/PCIeDevices`, '', '0-20')],
    'PCIeDevices/0-20': ['PCIeDevice.v1_10_0', { Name: 'SATA controller', Manufacturer: null, PCIeInterface: null }],
    Assembly: ['Assembly.v1_4_0', { Assemblies: [] }],
    NetworkAdapters: ['NetworkAdapterCollection', collection(`${flatbedChassis}/NetworkAdapters`, '', 'NIC.1')],
    'NetworkAdapters/NIC.1': ['NetworkAdapter.v1_9_0', { Controllers: [{ FirmwarePackageVersion: '22.31.6' }] }]
  }),
  [`${flatbedChassis}/Power`]: {
    PowerControl: [
      { '@odata.id': `${flatbedChassis}/Power#/PowerControl/0`, MemberId: 'PowerControl', PowerConsumedWatts: 132 }
    ]
  }
})

const rack = '/redfish/v1/Chassis/Rack%20Mount'

/**
 * A machine with sensors of which some read nothing and some have neither unit nor type, supplies without metrics, and
 * power without a sensor; slashes at the ends. The second system has next to nothing.
 */
const fabrikam = extended(mockups.fabrikam!, {
  '/redfish/v1/Systems/0': {
    Links: { Chassis: [link(`${rack}/`)], ManagedBy: [link('/redfish/v1/Managers/bmc/')] },
    Processors: link('/redfish/v1/Systems/0/Processors/'),
    Status: { State: 'Starting', Health: 'OK' },
    BootProgress: { LastState: 'OEM', OemLastState: 'Counting' }
  },
  ...resourcesAt('/redfish/v1/Systems/0', '/', {
    Processors: ['ProcessorCollection', collection('/redfish/v1/Systems/0/Processors', '/')]
  }),
  [rack]: {
    Sensors: link(`${rack}/Sensors/`),
    PowerSubsystem: link(`${rack}/PowerSubsystem/`),
    ThermalSubsystem: link(`${rack}/ThermalSubsystem/`),
    EnvironmentMetrics: link(`${rack}/EnvironmentMetrics/`)
  },
  ...resourcesAt(rack, '/', {
    Sensors: ['SensorCollection', collection(`${rack}/Sensors`, '/', 'temperature_Core_0', 'P12V', 'fan0-rpm', 'odd')],
    'Sensors/temperature_Core_0': [
      'Sensor.v1_2_0',
      {
        Reading: 61.4375,
        ReadingType: 'Temperature',
        ReadingUnits: 'Cel',
        Thresholds: { UpperCritical: { Reading: null } }
      }
    ],
    'Sensors/P12V': [
      'Sensor.v1_2_0',
      { Reading: null, ReadingType: 'Voltage', ReadingUnits: 'V', Status: { State: 'Absent' } }
    ],
    'Sensors/fan0-rpm': [
      'Sensor.v1_2_0',
      { Reading: 9120, ReadingType: 'Rotational', ReadingUnits: 'RPM', Status: {} }
    ],
    'Sensors/odd': ['Sensor.v1_2_0', { Reading: 3, Status: { State: 'Enabled', Health: 'Critical' } }],
    PowerSubsystem: [
      'PowerSubsystem.v1_1_0',
      { CapacityWatts: null, PowerSupplies: link(`${rack}/PowerSubsystem/PowerSupplies/`) }
    ],
    'PowerSubsystem/PowerSupplies': [
      'PowerSupplyCollection',
      collection(`${rack}/PowerSubsystem/PowerSupplies`, '/', 'PSU0', 'PSU1')
    ],
    'PowerSubsystem/PowerSupplies/PSU0': ['PowerSupply.v1_5_0', { Status: { State: 'Enabled', Health: 'OK' } }],
    'PowerSubsystem/PowerSupplies/PSU1': ['PowerSupply.v1_5_0', { Status: { State: 'Absent' } }],
    ThermalSubsystem: ['ThermalSubsystem.v1_2_0', { Fans: link(`${rack}/ThermalSubsystem/Fans/`) }],
    'ThermalSubsystem/Fans': ['FanCollection', collection(`${rack}/ThermalSubsystem/Fans`, '/', 'fan0')],
    'ThermalSubsystem/Fans/fan0': ['Fan.v1_3_0', { SpeedPercent: { Reading: null } }],
    EnvironmentMetrics: [
      'EnvironmentMetrics.v1_3_0',
      { PowerWatts: { Reading: null }, FanSpeedsPercent: [{ DeviceName: 'fan0', SpeedRPM: 9120 }], EnergykWh: null }
    ]
  })
})

const blades = Array.from({ length: 8 }, (_, at) => String(at + 1))

const powerOf = (blade: string) => ({ 3: 'Off', 5: null, 7: 'PoweringOn' })[blade]

/** Eight systems with a chassis each, in different states, and one manager; the eighth has no name. */
const northwind = {
  '/redfish/v1': {
    '@odata.id': '/redfish/v1/',
    '@odata.type': '#ServiceRoot.v1_9_0.ServiceRoot',
    Id: 'RootService',
    Name: 'Northwind',
    Systems: link('/redfish/v1/Systems'),
    Chassis: link('/redfish/v1/Chassis'),
    Managers: link('/redfish/v1/Managers')
  },
  ...resourcesAt('/redfish/v1', '', {
    Systems: [
      'ComputerSystemCollection',
      collection('/redfish/v1/Systems', '', ...blades.map((each) => `Blade${each}`))
    ],
    Chassis: [
      'ChassisCollection',
      collection('/redfish/v1/Chassis', '', 'Enclosure', ...blades.map((each) => `Bay${each}`))
    ],
    'Chassis/Enclosure': ['Chassis.v1_14_0', { ChassisType: 'Enclosure', Model: 'Northwind E8' }],
    Managers: ['ManagerCollection', collection('/redfish/v1/Managers', '', 'CMM')],
    'Managers/CMM': [
      'Manager.v1_10_0',
      { ManagerType: 'EnclosureManager', Status: { State: 'Enabled', Health: 'OK' } }
    ],
    ...Object.fromEntries(
      blades.flatMap((each) => [
        [
          `Systems/Blade${each}`,
          [
            'ComputerSystem.v1_13_0',
            {
              Name: each === '8' ? null : `Compute blade in bay ${each} of the upper half of the enclosure`,
              Model: 'Northwind B2',
              SerialNumber: `NW${each}0017`,
              PowerState: powerOf(each) === undefined ? 'On' : powerOf(each),
              Status: each === '6' ? null : { State: 'Enabled', Health: each === '2' ? 'Critical' : 'OK' },
              Links: {
                Chassis: [link(`/redfish/v1/Chassis/Bay${each}`)],
                ManagedBy: [link('/redfish/v1/Managers/CMM')]
              }
            }
          ]
        ],
        [
          `Chassis/Bay${each}`,
          ['Chassis.v1_14_0', { ChassisType: 'Blade', Links: { ContainedBy: link('/redfish/v1/Chassis/Enclosure') } }]
        ]
      ])
    )
  })
}

/** Machines in the shape of those of different makers, by their names; all are made up. */
export const machines = {
  contoso,
  fabrikam,
  litware: mockups.litware!,
  northwind,
  enclosure: others['chassis manager']
}

/** The file of a machine's board, as a recording makes it. */
export function boardFile(t: Scope, name: keyof typeof machines): string {
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(recorded(writeResources(directory(t), machines[name])).file))
  return file
}
