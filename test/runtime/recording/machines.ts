// biome-ignore lint/suspicious/noExplicitAny: mockups are what makers serve
type Body = Record<string, any>
type Machine = Readonly<Record<string, Body>>

export const to = (path: string) => ({ '@odata.id': path })

/** Resources by their paths below `/redfish/v1`, each with its own link; a list of ids is a collection. */
export function machine(resources: Readonly<Record<string, Body | readonly string[]>>): Machine {
  return Object.fromEntries(
    Object.entries(resources).map(([below, body]): [string, Body] => {
      const path = `/redfish/v1${below}`
      const members = (ids: readonly string[]) => ({
        Name: 'Collection',
        Members: ids.map((id) => to(`${path}/${id}`)),
        'Members@odata.count': ids.length
      })
      return [path, { ...to(path), ...(Array.isArray(body) ? members(body) : body) }]
    })
  )
}

const registry = (id: string, uri: string) => ({
  '@odata.type': '#MessageRegistryFile.v1_0_4.MessageRegistryFile',
  Id: id,
  Name: `${id} file`,
  Registry: `${id}.1.4`,
  Languages: ['en'],
  Location: [{ Language: 'en', Uri: uri }]
})

const bootOption = (reference: string, name: string, path?: string) => ({
  '@odata.type': '#BootOption.v1_0_3.BootOption',
  Id: reference,
  Name: 'Boot Option',
  BootOptionReference: reference,
  DisplayName: name,
  ...(path !== undefined && { UefiDevicePath: path })
})

const drive = 'PciRoot(0x0)/Pci(0x1C,0x0)/NVMe(0x1,AA-BB-CC-DD-EE-FF-00-11)'

/** A server whose schemas and registries are where the service has files of its own; boot options of one device path. */
export const server = machine({
  '': {
    '@odata.type': '#ServiceRoot.v1_13_0.ServiceRoot',
    Id: 'RootService',
    Name: 'HPE-like root',
    Systems: to('/redfish/v1/Systems'),
    Chassis: to('/redfish/v1/Chassis'),
    Managers: to('/redfish/v1/Managers'),
    JsonSchemas: to('/redfish/v1/JsonSchemas'),
    Registries: to('/redfish/v1/Registries'),
    Oem: { Tailspin: { ResourceDirectory: to('/redfish/v1/ResourceDirectory') } }
  },
  '/odata': {
    '@odata.context': '/redfish/v1/$metadata',
    value: [{ name: 'Service', kind: 'Singleton', url: '/redfish/v1/' }]
  },
  '/JsonSchemas': {
    ...{ '@odata.type': '#JsonSchemaFileCollection.JsonSchemaFileCollection' },
    Members: [to('/redfish/v1/JsonSchemas/Chassis.v1_21_0')]
  },
  '/JsonSchemas/Chassis.v1_21_0': {
    '@odata.type': '#JsonSchemaFile.v1_0_4.JsonSchemaFile',
    Id: 'Chassis.v1_21_0',
    Location: [{ Language: 'en', Uri: '/redfish/v1/SchemaStore/en/Chassis.v1_21_0.json' }]
  },
  '/SchemaStore/en/Chassis.v1_21_0.json': { title: "the maker's own", definitions: { Chassis: {} } },
  '/ResourceDirectory': {
    '@odata.type': '#TailspinDirectory.v1_0_0.TailspinDirectory',
    Instances: [to('/redfish/v1/Systems/1')]
  },
  '/Registries': {
    ...{ '@odata.type': '#MessageRegistryFileCollection.MessageRegistryFileCollection' },
    Members: ['Base', 'TailspinEvents', 'BiosAttributeRegistryT1.v1_0_2'].map((id) =>
      to(`/redfish/v1/Registries/${id}`)
    )
  },
  '/Registries/Base': registry('Base', '/redfish/v1/RegistryStore/registries/en/Base.json'),
  '/Registries/TailspinEvents': registry(
    'TailspinEvents',
    '/redfish/v1/RegistryStore/registries/en/TailspinEvents.json'
  ),
  '/Registries/BiosAttributeRegistryT1.v1_0_2': registry(
    'BiosAttributeRegistryT1.v1_0_2',
    '/redfish/v1/RegistryStore/registries/en/BiosAttributeRegistryT1.v1_0_2.json'
  ),
  '/RegistryStore/registries/en/Base.json': {
    '@odata.type': '#MessageRegistry.v1_0_0.MessageRegistry',
    Id: 'Base.1.4.0',
    Messages: { Success: { Message: 'All is well, says Tailspin' } }
  },
  '/RegistryStore/registries/en/TailspinEvents.json': {
    '@odata.type': '#MessageRegistry.v1_0_0.MessageRegistry',
    Id: 'TailspinEvents.1.4.0',
    Messages: {}
  },
  '/RegistryStore/registries/en/BiosAttributeRegistryT1.v1_0_2.json': {
    '@odata.type': '#AttributeRegistry.v1_3_0.AttributeRegistry',
    Id: 'BiosAttributeRegistryT1.v1_0_2',
    RegistryEntries: {
      Attributes: [
        { AttributeName: 'NumLock', Type: 'Enumeration', Value: [{ ValueName: 'On' }, { ValueName: 'Off' }] }
      ]
    }
  },
  '/Systems': ['1'],
  '/Systems/1': {
    '@odata.type': '#ComputerSystem.v1_17_0.ComputerSystem',
    Id: '1',
    Name: 'Server',
    PowerState: 'Off',
    Bios: to('/redfish/v1/Systems/1/Bios'),
    Boot: { BootOptions: to('/redfish/v1/Systems/1/BootOptions') },
    Actions: { '#ComputerSystem.Reset': { target: '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset' } }
  },
  '/Systems/1/Bios': {
    '@odata.type': '#Bios.v1_1_0.Bios',
    Id: 'Bios',
    Name: 'BIOS',
    AttributeRegistry: 'BiosAttributeRegistryT1.v1_0_2',
    Attributes: { NumLock: 'On' }
  },
  '/Systems/1/BootOptions': ['1', '2', '3', '4', '5'],
  '/Systems/1/BootOptions/1': bootOption('Boot0001', 'Linux', drive),
  '/Systems/1/BootOptions/2': bootOption('Boot0002', 'Linux (old kernel)', drive),
  '/Systems/1/BootOptions/3': bootOption('Boot0003', 'Shell'),
  '/Systems/1/BootOptions/4': bootOption('Boot0004', 'Setup'),
  '/Systems/1/BootOptions/5': bootOption('Boot0004', 'Setup again', 'Fv()'),
  '/Chassis': ['1'],
  '/Chassis/1': { '@odata.type': '#Chassis.v1_21_0.Chassis', Id: '1', Name: 'Chassis', ChassisType: 'RackMount' },
  '/Managers': ['1'],
  '/Managers/1': { '@odata.type': '#Manager.v1_15_0.Manager', Id: '1', Name: 'Manager' }
})

const serviceRoot = (name: string, ...collections: readonly string[]) => ({
  '@odata.type': '#ServiceRoot.v1_16_0.ServiceRoot',
  Id: 'RootService',
  Name: name,
  UUID: '92384634-2938-2342-8820-489239905423',
  ...Object.fromEntries(collections.map((each) => [each, to(`/redfish/v1/${each}`)]))
})

/** Machines without a computer system. */
export const others = {
  /** It has no manager either: its service is all there is. */
  'power shelf': machine({
    '': serviceRoot('Shelf', 'Chassis', 'PowerEquipment', 'SessionService'),
    '/Chassis': ['Shelf'],
    '/Chassis/Shelf': {
      '@odata.type': '#Chassis.v1_23_0.Chassis',
      Id: 'Shelf',
      Name: 'Power shelf',
      ChassisType: 'Shelf',
      PowerSubsystem: to('/redfish/v1/Chassis/Shelf/PowerSubsystem')
    },
    '/Chassis/Shelf/PowerSubsystem': {
      '@odata.type': '#PowerSubsystem.v1_1_0.PowerSubsystem',
      Id: 'PowerSubsystem',
      CapacityWatts: 18_000,
      PowerSupplies: to('/redfish/v1/Chassis/Shelf/PowerSubsystem/PowerSupplies')
    },
    '/Chassis/Shelf/PowerSubsystem/PowerSupplies': ['1', '2'],
    '/Chassis/Shelf/PowerSubsystem/PowerSupplies/1': { '@odata.type': '#PowerSupply.v1_5_0.PowerSupply', Id: '1' },
    '/Chassis/Shelf/PowerSubsystem/PowerSupplies/2': { '@odata.type': '#PowerSupply.v1_5_0.PowerSupply', Id: '2' },
    '/PowerEquipment': {
      '@odata.type': '#PowerEquipment.v1_2_0.PowerEquipment',
      Id: 'PowerEquipment',
      PowerShelves: to('/redfish/v1/PowerEquipment/PowerShelves')
    },
    '/PowerEquipment/PowerShelves': ['1'],
    '/PowerEquipment/PowerShelves/1': {
      '@odata.type': '#PowerDistribution.v1_3_0.PowerDistribution',
      Id: '1',
      EquipmentType: 'PowerShelf'
    },
    '/SessionService': {
      '@odata.type': '#SessionService.v1_1_8.SessionService',
      Id: 'SessionService',
      SessionTimeout: 600
    }
  }),
  'cooling unit': machine({
    '': serviceRoot('CDU', 'Managers', 'ThermalEquipment'),
    '/Managers': ['CDU'],
    '/Managers/CDU': {
      '@odata.type': '#Manager.v1_19_0.Manager',
      Id: 'CDU',
      Name: 'Controller',
      ManagerType: 'Service'
    },
    '/ThermalEquipment': {
      '@odata.type': '#ThermalEquipment.v1_1_0.ThermalEquipment',
      Id: 'ThermalEquipment',
      CDUs: to('/redfish/v1/ThermalEquipment/CDUs')
    },
    '/ThermalEquipment/CDUs': ['1'],
    '/ThermalEquipment/CDUs/1': {
      '@odata.type': '#CoolingUnit.v1_2_0.CoolingUnit',
      Id: '1',
      EquipmentType: 'CDU',
      Coolant: { CoolantType: 'Water' }
    }
  }),
  'chassis manager': machine({
    '': serviceRoot('Enclosure', 'Systems', 'Chassis', 'Managers'),
    '/Systems': [],
    '/Chassis': ['Enclosure', 'Blade1'],
    '/Chassis/Enclosure': {
      '@odata.type': '#Chassis.v1_9_0.Chassis',
      Id: 'Enclosure',
      Name: 'Enclosure',
      ChassisType: 'Enclosure'
    },
    '/Chassis/Blade1': {
      '@odata.type': '#Chassis.v1_9_0.Chassis',
      Id: 'Blade1',
      Name: 'Blade 1',
      ChassisType: 'Blade',
      Links: { ContainedBy: to('/redfish/v1/Chassis/Enclosure') }
    },
    '/Managers': ['CMC'],
    '/Managers/CMC': {
      '@odata.type': '#Manager.v1_5_0.Manager',
      Id: 'CMC',
      Name: 'CMC',
      ManagerType: 'EnclosureManager'
    }
  }),
  switch: machine({
    '': serviceRoot('Switch', 'Chassis', 'Managers', 'Fabrics'),
    '/Chassis': ['MMC'],
    '/Chassis/MMC': { '@odata.type': '#Chassis.v1_14_0.Chassis', Id: 'MMC', Name: 'Switch', ChassisType: 'Module' },
    '/Managers': ['BMC'],
    '/Managers/BMC': { '@odata.type': '#Manager.v1_11_0.Manager', Id: 'BMC', Name: 'BMC' },
    '/Fabrics': ['Ethernet'],
    '/Fabrics/Ethernet': { '@odata.type': '#Fabric.v1_3_0.Fabric', Id: 'Ethernet', FabricType: 'Ethernet' }
  })
} as const
