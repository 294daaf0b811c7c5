import { machine, server, to } from './machines.ts'
import { mockups } from './mockups.ts'

// biome-ignore lint/suspicious/noExplicitAny: mockups are what makers serve
type Body = Record<string, any>
type Machine = Readonly<Record<string, Body>>

const at = (path: string) => to(`/redfish/v1${path}`)

/** A machine with more resources, and with more members in those that it has. */
function extended(machine: Machine, more: Machine): Machine {
  const changed = Object.entries(more).map(([path, body]) => [path, { ...machine[path], ...body }])
  return { ...machine, ...Object.fromEntries(changed) }
}

const typed = (type: string, id: string, more: Body = {}): Body => ({
  '@odata.type': `#${type}.v1_6_0.${type}`,
  ...{ Id: id, Name: id },
  ...more
})

const root = (vendor: string, ...services: readonly string[]) =>
  typed('ServiceRoot', 'RootService', {
    Vendor: vendor,
    UUID: '92384634-2938-2342-8820-489239905423',
    ...Object.fromEntries(['Systems', 'Chassis', 'Managers', ...services].map((each) => [each, at(`/${each}`)])),
    Links: { Sessions: at('/SessionService/Sessions') }
  })

const action = (path: string, name: string, more: Body = {}) => ({
  [`#${name}`]: { target: `/redfish/v1${path}/Actions/${name}`, ...more }
})

const collectionOf = (type: string, path: string, ...ids: readonly string[]) => ({
  '@odata.type': `#${type}Collection.${type}Collection`,
  Name: `${type} Collection`,
  Members: ids.map((id) => at(`${path}/${id}`)),
  'Members@odata.count': ids.length
})

/** A drive for images, with its actions. */
const media = (path: string, id: string, more: Body = {}) =>
  typed('VirtualMedia', id, {
    MediaTypes: ['CD', 'DVD'],
    Image: null,
    Inserted: false,
    ConnectedVia: 'NotConnected',
    Actions: {
      ...action(`${path}/${id}`, 'VirtualMedia.InsertMedia'),
      ...action(`${path}/${id}`, 'VirtualMedia.EjectMedia')
    },
    ...more
  })

const slots = Array.from({ length: 16 }, (_, index) => String(index + 1))

/** A slot of an account; an empty name is a free one. */
const slot = (id: string, name: string) =>
  typed('ManagerAccount', id, { UserName: name, Enabled: name !== '', RoleId: name === '' ? 'None' : 'Administrator' })

const idrac = '/Managers/CMC.Embedded.1'
const dellSystem = '/Systems/System.Embedded.1'

/** Accounts in slots, jobs of the manager, drives for images below the system, update files and events at their own paths. */
const dell = extended(
  mockups.contoso!,
  machine({
    '': {
      EventService: at('/EventService'),
      Tasks: at('/TaskService'),
      UpdateService: at('/UpdateService')
    },
    [dellSystem]: {
      VirtualMedia: at(`${dellSystem}/VirtualMedia`),
      IndicatorLED: 'Lit'
    },
    [`${dellSystem}/VirtualMedia`]: collectionOf('VirtualMedia', `${dellSystem}/VirtualMedia`, '1', '2'),
    [`${dellSystem}/VirtualMedia/1`]: media(`${dellSystem}/VirtualMedia`, '1'),
    [`${dellSystem}/VirtualMedia/2`]: media(`${dellSystem}/VirtualMedia`, '2'),
    '/AccountService/Accounts': collectionOf('ManagerAccount', '/AccountService/Accounts', ...slots),
    ...Object.fromEntries(
      slots.map((id) => [`/AccountService/Accounts/${id}`, slot(id, id === '2' ? 'root' : '')] as const)
    ),
    [idrac]: {
      PowerState: 'On',
      DateTime: '2024-02-29T12:00:00-06:00',
      DateTimeLocalOffset: '-06:00',
      Links: {
        ...mockups.contoso![`/redfish/v1${idrac}`]!.Links,
        Oem: { Contoso: { Jobs: at(`${idrac}/Oem/Contoso/Jobs`), Attributes: at(`${idrac}/Oem/Contoso/Attributes`) } }
      }
    },
    [`${idrac}/Oem/Contoso/Jobs`]: {
      '@odata.type': '#ContosoJobCollection.ContosoJobCollection',
      Name: 'JobQueue',
      Members: [],
      'Members@odata.count': 0
    },
    [`${idrac}/Oem/Contoso/Attributes`]: {
      '@odata.type': '#ContosoAttributes.v1_0_0.ContosoAttributes',
      Id: 'Attributes',
      Name: 'Attributes',
      Attributes: {
        'NTPConfigGroup.1.NTPEnable': 'Disabled',
        'SNMP.1.AgentCommunity': 'public',
        'Users.2.IPMIKey': '0123456789ABCDEF0123456789ABCDEF01234567',
        'Users.2.UserName': 'root'
      }
    },
    '/EventService': typed('EventService', 'EventService', {
      ServerSentEventUri: '/redfish/v1/SSE',
      ServiceEnabled: true,
      Status: { State: 'Enabled', Health: 'OK' },
      Subscriptions: at('/EventService/Subscriptions')
    }),
    '/TaskService': typed('TaskService', 'TaskService', {
      DateTime: '2024-02-29T12:00:00-06:00',
      Tasks: at('/TaskService/Tasks')
    }),
    '/TaskService/Tasks': collectionOf('Task', '/TaskService/Tasks', 'JID_1'),
    '/TaskService/Tasks/JID_1': typed('Task', 'JID_1', { TaskState: 'Completed' }),
    '/UpdateService': typed('UpdateService', 'UpdateService', {
      HttpPushUri: '/redfish/v1/UpdateService/FirmwareInventory',
      MultipartHttpPushUri: '/redfish/v1/UpdateService/MultipartUpload',
      FirmwareInventory: at('/UpdateService/FirmwareInventory')
    }),
    '/UpdateService/FirmwareInventory': collectionOf(
      'SoftwareInventory',
      '/UpdateService/FirmwareInventory',
      'Installed-0'
    ),
    '/UpdateService/FirmwareInventory/Installed-0': typed('SoftwareInventory', 'Installed-0', { Version: '2.19.1' })
  })
)

const ilo = '/Managers/1'

/** Registries and schemas of its own, pending BIOS settings at a path in lower case, Oem actions of drives for images, two logs. */
const hpe = extended(
  server,
  machine({
    [ilo]: {
      '@odata.type': '#Manager.v1_15_0.Manager',
      DateTime: '2024-02-29T12:00:00Z',
      FirmwareVersion: 'iLO-like 5 v2.72',
      LogServices: at(`${ilo}/LogServices`),
      VirtualMedia: at(`${ilo}/VirtualMedia`),
      Links: { ManagerForServers: [at('/Systems/1')], ManagerForChassis: [at('/Chassis/1')] }
    },
    [`${ilo}/LogServices`]: collectionOf('LogService', `${ilo}/LogServices`, 'IEL'),
    [`${ilo}/LogServices/IEL`]: typed('LogService', 'IEL', {
      LogEntryType: 'Event',
      Entries: at(`${ilo}/LogServices/IEL/Entries`),
      Actions: action(`${ilo}/LogServices/IEL`, 'LogService.ClearLog')
    }),
    [`${ilo}/LogServices/IEL/Entries`]: collectionOf('LogEntry', `${ilo}/LogServices/IEL/Entries`, '1'),
    [`${ilo}/LogServices/IEL/Entries/1`]: typed('LogEntry', '1', { Message: 'Server reset.' }),
    [`${ilo}/VirtualMedia`]: collectionOf('VirtualMedia', `${ilo}/VirtualMedia`, '2'),
    [`${ilo}/VirtualMedia/2`]: media(`${ilo}/VirtualMedia`, '2', {
      Oem: {
        Tailspin: {
          Actions: {
            '#TailspinVirtualMedia.EjectVirtualMedia': {
              target: `/redfish/v1${ilo}/VirtualMedia/2/Actions/Oem/Tailspin/TailspinVirtualMedia.EjectVirtualMedia`
            }
          }
        }
      }
    }),
    '/Systems/1': {
      SerialNumber: 'CZ20310042',
      AssetTag: 'rack 4',
      LogServices: at('/Systems/1/LogServices'),
      Links: { ManagedBy: [at(ilo)], Chassis: [at('/Chassis/1')] }
    },
    '/Systems/1/LogServices': collectionOf('LogService', '/Systems/1/LogServices', 'IML'),
    '/Systems/1/LogServices/IML': typed('LogService', 'IML', {
      LogEntryType: 'Event',
      Entries: at('/Systems/1/LogServices/IML/Entries')
    }),
    '/Systems/1/LogServices/IML/Entries': collectionOf('LogEntry', '/Systems/1/LogServices/IML/Entries'),
    '/Systems/1/Bios': {
      '@Redfish.Settings': { SettingsObject: at('/systems/1/bios/settings') }
    },
    '/systems/1/bios/settings': typed('Bios', 'Settings', {
      AttributeRegistry: 'BiosAttributeRegistryT1.v1_0_2',
      Attributes: { NumLock: 'On' }
    }),
    '/Chassis/1': {
      IndicatorLED: 'Off',
      Thermal: at('/Chassis/1/Thermal'),
      Links: { ComputerSystems: [at('/Systems/1')], ManagedBy: [at(ilo)] }
    },
    '/Chassis/1/Thermal': typed('Thermal', 'Thermal', {
      Fans: [{ MemberId: '0', Name: 'Fan 1', Reading: 23, ReadingUnits: 'Percent' }]
    })
  })
)

/** Pending BIOS settings at `Bios/Pending`, a lamp with a Name of its own, boot options without a type of UEFI. */
const lenovo = machine({
  '': root('Northwind', 'AccountService', 'SessionService', 'UpdateService', 'EventService'),
  '/Systems': collectionOf('ComputerSystem', '/Systems', '1'),
  '/Systems/1': typed('ComputerSystem', '1', {
    PowerState: 'On',
    IndicatorLED: 'Off',
    SerialNumber: 'J30042AB',
    SystemType: 'Physical',
    Bios: at('/Systems/1/Bios'),
    Status: { State: 'Enabled', Health: 'OK', HealthRollup: 'Warning' },
    Boot: {
      'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe', 'Cd', 'Hdd', 'Usb', 'BiosSetup', 'Diags'],
      BootSourceOverrideTarget: 'None',
      BootSourceOverrideEnabled: 'Disabled',
      BootSourceOverrideMode: 'Legacy',
      BootOptions: at('/Systems/1/BootOptions'),
      BootOrder: ['Boot0002', 'Boot0001']
    },
    Actions: action('/Systems/1', 'ComputerSystem.Reset', {
      'ResetType@Redfish.AllowableValues': [
        'On',
        'Nmi',
        'GracefulShutdown',
        'GracefulRestart',
        'ForceOn',
        'ForceOff',
        'ForceRestart'
      ]
    }),
    Links: { ManagedBy: [at('/Managers/1')], Chassis: [at('/Chassis/1')] },
    Oem: { Northwind: { '@odata.type': '#NorthwindSystem.v1_0_0.System', TotalPowerOnHours: 4242 } }
  }),
  '/Systems/1/BootOptions': collectionOf('BootOption', '/Systems/1/BootOptions', '1', '2'),
  '/Systems/1/BootOptions/1': typed('BootOption', '1', { BootOptionReference: 'Boot0001', DisplayName: 'CD/DVD Rom' }),
  '/Systems/1/BootOptions/2': typed('BootOption', '2', {
    BootOptionReference: 'Boot0002',
    DisplayName: 'Hard Disk',
    Alias: 'Hdd'
  }),
  '/Systems/1/Bios': typed('Bios', 'Bios', {
    '@Redfish.Settings': { SettingsObject: at('/Systems/1/Bios/Pending') },
    Attributes: { BootModes_SystemBootMode: 'UEFIMode', Memory_MemorySpeed: 'MaxPerformance', Processors_CStates: 2 }
  }),
  '/Systems/1/Bios/Pending': typed('Bios', 'Pending', { Attributes: {} }),
  '/Chassis': collectionOf('Chassis', '/Chassis', '1'),
  '/Chassis/1': typed('Chassis', '1', {
    ChassisType: 'RackMount',
    PowerState: 'On',
    Links: { ComputerSystems: [at('/Systems/1')], ManagedBy: [at('/Managers/1')] }
  }),
  '/Managers': collectionOf('Manager', '/Managers', '1'),
  '/Managers/1': typed('Manager', '1', {
    ManagerType: 'BMC',
    FirmwareVersion: 'TEI392M',
    VirtualMedia: at('/Managers/1/VirtualMedia'),
    NetworkProtocol: at('/Managers/1/NetworkProtocol'),
    Links: { ManagerForServers: [at('/Systems/1')], ManagerForChassis: [at('/Chassis/1')] }
  }),
  '/Managers/1/NetworkProtocol': typed('ManagerNetworkProtocol', 'NetworkProtocol', {
    HostName: 'XCC-J30042AB',
    NTP: { ProtocolEnabled: true, NTPServers: ['192.0.2.7', '', '', ''] },
    SNMP: { ProtocolEnabled: false, Port: 161 }
  }),
  '/Managers/1/VirtualMedia': collectionOf('VirtualMedia', '/Managers/1/VirtualMedia', 'EXT1', 'Remote1'),
  '/Managers/1/VirtualMedia/EXT1': media('/Managers/1/VirtualMedia', 'EXT1'),
  '/Managers/1/VirtualMedia/Remote1': media('/Managers/1/VirtualMedia', 'Remote1', { MediaTypes: ['CD', 'DVD'] }),
  '/AccountService': typed('AccountService', 'AccountService', {
    Accounts: at('/AccountService/Accounts'),
    Roles: at('/AccountService/Roles'),
    AccountLockoutThreshold: 5,
    MinPasswordLength: 10
  }),
  '/AccountService/Accounts': collectionOf('ManagerAccount', '/AccountService/Accounts', '1'),
  '/AccountService/Accounts/1': slot('1', 'USERID'),
  '/AccountService/Roles': collectionOf('Role', '/AccountService/Roles', 'Administrator', 'CustomRole1'),
  '/AccountService/Roles/Administrator': typed('Role', 'Administrator', {
    IsPredefined: true,
    AssignedPrivileges: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents']
  }),
  '/AccountService/Roles/CustomRole1': typed('Role', 'CustomRole1', {
    IsPredefined: false,
    AssignedPrivileges: ['Login']
  }),
  '/SessionService': typed('SessionService', 'SessionService', {
    SessionTimeout: 600,
    Sessions: at('/SessionService/Sessions')
  }),
  '/SessionService/Sessions': collectionOf('Session', '/SessionService/Sessions', '42'),
  '/SessionService/Sessions/42': typed('Session', '42', { UserName: 'USERID' }),
  '/EventService': typed('EventService', 'EventService', {
    ServiceEnabled: true,
    ServerSentEventUri: '/redfish/v1/EventService/SSE'
  }),
  '/UpdateService': typed('UpdateService', 'UpdateService', {
    HttpPushUri: 'https://xcc.example.net/redfish/v1/FWUpdate',
    MultipartHttpPushUri: 'https://xcc.example.net/redfish/v1/MFWUpdate',
    Actions: action('/UpdateService', 'UpdateService.SimpleUpdate', {
      'TransferProtocol@Redfish.AllowableValues': ['SFTP', 'TFTP', 'HTTP', 'HTTPS']
    })
  })
})

/** Members that are null, ids that are numbers from 0, Oem links in everything, a boot order of names that are not those of UEFI. */
const supermicro = machine({
  '': root('Fourth Coffee', 'AccountService', 'SessionService', 'UpdateService', 'TaskService'),
  '/Systems': collectionOf('ComputerSystem', '/Systems', '1'),
  '/Systems/1': typed('ComputerSystem', '1', {
    PowerState: 'Off',
    UUID: '00000000-0000-0000-0000-3CECEF0A1B2C',
    SerialNumber: 'S123456X0042',
    AssetTag: null,
    IndicatorLED: 'Off',
    Bios: at('/Systems/1/Bios'),
    Boot: {
      BootSourceOverrideEnabled: 'Disabled',
      BootSourceOverrideTarget: 'None',
      BootSourceOverrideMode: 'UEFI',
      'BootSourceOverrideMode@Redfish.AllowableValues': ['Legacy', 'UEFI'],
      BootOptions: at('/Systems/1/BootOptions'),
      BootOrder: ['HDD.1', 'Network.1']
    },
    Actions: {
      ...action('/Systems/1', 'ComputerSystem.Reset', {
        'ResetType@Redfish.AllowableValues': [
          'On',
          'ForceOff',
          'GracefulShutdown',
          'PowerCycle',
          'ForceRestart',
          'Nmi',
          'ForceOn'
        ]
      }),
      Oem: {
        '#FourthCoffee.FactoryDefault': { target: '/redfish/v1/Systems/1/Actions/Oem/FourthCoffee.FactoryDefault' }
      }
    },
    Links: { ManagedBy: [at('/Managers/1')], Chassis: [at('/Chassis/1')] }
  }),
  '/Systems/1/BootOptions': collectionOf('BootOption', '/Systems/1/BootOptions', 'HDD.1', 'Network.1'),
  '/Systems/1/BootOptions/HDD.1': typed('BootOption', 'HDD.1', {
    BootOptionReference: 'HDD.1',
    DisplayName: 'Disk',
    Alias: 'Hdd'
  }),
  '/Systems/1/BootOptions/Network.1': typed('BootOption', 'Network.1', {
    BootOptionReference: 'Network.1',
    DisplayName: 'Network',
    Alias: 'Pxe'
  }),
  '/Systems/1/Bios': typed('Bios', 'Bios', {
    '@Redfish.Settings': { SettingsObject: at('/Systems/1/Bios/SD') },
    Attributes: { 'QuietBoot#0027': true, 'ACSupport#0061': 'Enabled' }
  }),
  '/Systems/1/Bios/SD': typed('Bios', 'SD', { Attributes: {} }),
  '/Chassis': collectionOf('Chassis', '/Chassis', '1'),
  '/Chassis/1': typed('Chassis', '1', {
    ChassisType: 'Other',
    PowerState: 'Off',
    Power: at('/Chassis/1/Power'),
    Links: { ComputerSystems: [at('/Systems/1')], ManagedBy: [at('/Managers/1')] }
  }),
  '/Chassis/1/Power': typed('Power', 'Power', {
    PowerControl: [{ MemberId: '0', PowerConsumedWatts: 152 }],
    Voltages: [{ MemberId: '0', Name: '12V', ReadingVolts: 12.1 }]
  }),
  '/Managers': collectionOf('Manager', '/Managers', '1'),
  '/Managers/1': typed('Manager', '1', {
    DateTime: '2024-02-29T12:00:00Z',
    VirtualMedia: at('/Managers/1/VirtualMedia'),
    EthernetInterfaces: at('/Managers/1/EthernetInterfaces'),
    Links: { ManagerForServers: [at('/Systems/1')], ManagerForChassis: [at('/Chassis/1')] },
    Oem: { FourthCoffee: { SNMP: at('/Managers/1/Oem/FourthCoffee/SNMP') } }
  }),
  '/Managers/1/Oem/FourthCoffee/SNMP': {
    '@odata.type': '#FourthCoffeeSNMP.v1_0_0.SNMP',
    Id: 'SNMP',
    Name: 'SNMP',
    SnmpCommunity: 'private-read',
    Port: 161
  },
  '/Managers/1/VirtualMedia': collectionOf('VirtualMedia', '/Managers/1/VirtualMedia', 'VirtualMedia1'),
  '/Managers/1/VirtualMedia/VirtualMedia1': media('/Managers/1/VirtualMedia', 'VirtualMedia1'),
  '/Managers/1/EthernetInterfaces': collectionOf('EthernetInterface', '/Managers/1/EthernetInterfaces', '1'),
  '/Managers/1/EthernetInterfaces/1': typed('EthernetInterface', '1', {
    MACAddress: '3C:EC:EF:0A:1B:2C',
    HostName: '',
    FQDN: '',
    IPv4Addresses: [
      { Address: '192.0.2.44', AddressOrigin: 'Static', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }
    ]
  }),
  '/AccountService': typed('AccountService', 'AccountService', { Accounts: at('/AccountService/Accounts') }),
  '/AccountService/Accounts': collectionOf('ManagerAccount', '/AccountService/Accounts', '2'),
  '/AccountService/Accounts/2': slot('2', 'ADMIN'),
  '/SessionService': typed('SessionService', 'SessionService', { SessionTimeout: 300 }),
  '/UpdateService': typed('UpdateService', 'UpdateService', {
    MultipartHttpPushUri: '/redfish/v1/UpdateService/upload'
  }),
  '/TaskService': typed('TaskService', 'TaskService', { Tasks: at('/TaskService/Tasks') }),
  '/TaskService/Tasks': collectionOf('Task', '/TaskService/Tasks')
})

/** Ids that are words, sensors with readings, dumps of the manager, certificates, a log of POST codes. */
const openbmc = machine({
  '': root('Proseware', 'AccountService', 'SessionService', 'CertificateService', 'TelemetryService'),
  '/Systems': collectionOf('ComputerSystem', '/Systems', 'system'),
  '/Systems/system': typed('ComputerSystem', 'system', {
    PowerState: 'On',
    LocationIndicatorActive: false,
    BootProgress: { LastState: 'OSRunning' },
    LogServices: at('/Systems/system/LogServices'),
    SerialConsole: { MaxConcurrentSessions: 15, SSH: { ServiceEnabled: true, Port: 2200 } },
    Actions: action('/Systems/system', 'ComputerSystem.Reset', {
      '@Redfish.ActionInfo': '/redfish/v1/Systems/system/ResetActionInfo'
    }),
    Links: { ManagedBy: [at('/Managers/bmc')], Chassis: [at('/Chassis/board')] }
  }),
  '/Systems/system/ResetActionInfo': typed('ActionInfo', 'ResetActionInfo', {
    Parameters: [
      { Name: 'ResetType', Required: true, DataType: 'String', AllowableValues: ['On', 'ForceOff', 'PowerCycle'] }
    ]
  }),
  '/Systems/system/LogServices': collectionOf('LogService', '/Systems/system/LogServices', 'EventLog', 'PostCodes'),
  '/Systems/system/LogServices/EventLog': typed('LogService', 'EventLog', {
    DateTime: '2024-02-29T12:00:00+00:00',
    LogEntryType: 'Event',
    Entries: at('/Systems/system/LogServices/EventLog/Entries')
  }),
  '/Systems/system/LogServices/EventLog/Entries': collectionOf(
    'LogEntry',
    '/Systems/system/LogServices/EventLog/Entries'
  ),
  '/Systems/system/LogServices/PostCodes': typed('LogService', 'PostCodes', {
    Entries: at('/Systems/system/LogServices/PostCodes/Entries'),
    Actions: action('/Systems/system/LogServices/PostCodes', 'LogService.ClearLog')
  }),
  '/Systems/system/LogServices/PostCodes/Entries': collectionOf(
    'LogEntry',
    '/Systems/system/LogServices/PostCodes/Entries'
  ),
  '/Chassis': collectionOf('Chassis', '/Chassis', 'board'),
  '/Chassis/board': typed('Chassis', 'board', {
    ChassisType: 'RackMount',
    PowerState: 'On',
    Sensors: at('/Chassis/board/Sensors'),
    Actions: action('/Chassis/board', 'Chassis.Reset', { 'ResetType@Redfish.AllowableValues': ['PowerCycle'] }),
    Links: { ComputerSystems: [at('/Systems/system')], ManagedBy: [at('/Managers/bmc')] }
  }),
  '/Chassis/board/Sensors': collectionOf('Sensor', '/Chassis/board/Sensors', 'temperature_inlet', 'fan_tach_0'),
  '/Chassis/board/Sensors/temperature_inlet': typed('Sensor', 'temperature_inlet', {
    Reading: 22.5,
    ReadingUnits: 'Cel'
  }),
  '/Chassis/board/Sensors/fan_tach_0': typed('Sensor', 'fan_tach_0', { Reading: 4200, ReadingUnits: 'RPM' }),
  '/Managers': collectionOf('Manager', '/Managers', 'bmc'),
  '/Managers/bmc': typed('Manager', 'bmc', {
    DateTime: '2024-02-29T12:00:00+00:00',
    DateTimeLocalOffset: '+00:00',
    LastResetTime: '2024-02-28T12:00:00+00:00',
    UUID: 'a0b1c2d3-e4f5-4a5b-8c7d-9e0f1a2b3c4d',
    ServiceEntryPointUUID: '92384634-2938-2342-8820-489239905423',
    LogServices: at('/Managers/bmc/LogServices'),
    EthernetInterfaces: at('/Managers/bmc/EthernetInterfaces'),
    NetworkProtocol: at('/Managers/bmc/NetworkProtocol'),
    Actions: action('/Managers/bmc', 'Manager.Reset', {
      '@Redfish.ActionInfo': '/redfish/v1/Managers/bmc/ResetActionInfo'
    }),
    Links: { ManagerForServers: [at('/Systems/system')], ManagerForChassis: [at('/Chassis/board')] }
  }),
  '/Managers/bmc/LogServices': collectionOf('LogService', '/Managers/bmc/LogServices', 'Dump'),
  '/Managers/bmc/LogServices/Dump': typed('LogService', 'Dump', {
    OverWritePolicy: 'WrapsWhenFull',
    Entries: at('/Managers/bmc/LogServices/Dump/Entries'),
    Actions: action('/Managers/bmc/LogServices/Dump', 'LogService.CollectDiagnosticData')
  }),
  '/Managers/bmc/LogServices/Dump/Entries': collectionOf('LogEntry', '/Managers/bmc/LogServices/Dump/Entries'),
  '/Managers/bmc/EthernetInterfaces': collectionOf('EthernetInterface', '/Managers/bmc/EthernetInterfaces', 'eth0'),
  '/Managers/bmc/EthernetInterfaces/eth0': typed('EthernetInterface', 'eth0', {
    MACAddress: '3c:ec:ef:0a:1b:2c',
    HostName: 'prose-bmc',
    FQDN: 'prose-bmc.example.net',
    DHCPv4: { DHCPEnabled: true },
    IPv4Addresses: [{ Address: '192.0.2.45', AddressOrigin: 'DHCP', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }]
  }),
  '/Managers/bmc/NetworkProtocol': typed('ManagerNetworkProtocol', 'NetworkProtocol', {
    HostName: 'prose-bmc',
    FQDN: 'prose-bmc.example.net',
    NTP: { ProtocolEnabled: true, NTPServers: ['192.0.2.7'] },
    HTTPS: { ProtocolEnabled: true, Port: 443, Certificates: at('/Managers/bmc/NetworkProtocol/HTTPS/Certificates') }
  }),
  '/Managers/bmc/NetworkProtocol/HTTPS/Certificates': collectionOf(
    'Certificate',
    '/Managers/bmc/NetworkProtocol/HTTPS/Certificates',
    '1'
  ),
  '/Managers/bmc/NetworkProtocol/HTTPS/Certificates/1': typed('Certificate', '1', {
    Subject: { CommonName: 'prose-bmc.example.net' },
    CertificateType: 'PEM'
  }),
  '/AccountService': typed('AccountService', 'AccountService', {
    Accounts: at('/AccountService/Accounts'),
    MinPasswordLength: 8
  }),
  '/AccountService/Accounts': collectionOf('ManagerAccount', '/AccountService/Accounts', 'root'),
  '/AccountService/Accounts/root': slot('root', 'root'),
  '/SessionService': typed('SessionService', 'SessionService', { SessionTimeout: 3600 }),
  '/CertificateService': typed('CertificateService', 'CertificateService', {
    CertificateLocations: at('/CertificateService/CertificateLocations'),
    Actions: action('/CertificateService', 'CertificateService.ReplaceCertificate')
  }),
  '/CertificateService/CertificateLocations': typed('CertificateLocations', 'CertificateLocations', {
    Links: { Certificates: [at('/Managers/bmc/NetworkProtocol/HTTPS/Certificates/1')] }
  }),
  '/TelemetryService': typed('TelemetryService', 'TelemetryService', {
    MetricReports: at('/TelemetryService/MetricReports')
  }),
  '/TelemetryService/MetricReports': collectionOf('MetricReport', '/TelemetryService/MetricReports')
})

/** Machines with the habits of five makers, from what is known of these. All names are made up. */
export const makers: Readonly<Record<string, Machine>> = {
  'Dell-like': dell,
  'HPE-like': hpe,
  'Lenovo-like': lenovo,
  'Supermicro-like': supermicro,
  'OpenBMC-like': openbmc
}
