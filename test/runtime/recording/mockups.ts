import { mkdirSync, writeFileSync } from 'node:fs'
import { certificate } from '#test/handlers/keys.ts'

// biome-ignore lint/suspicious/noExplicitAny: mockups are what makers serve
type Body = Record<string, any>

/** Habits of three makers, in the shape of Redfish-Mockup-Creator's output. All names are made up. */
export const mockups: Readonly<Record<string, Readonly<Record<string, Body>>>> = {
  /** No slashes at the ends, long ids, an Oem block in everything, BIOS settings at a path of its own. */
  contoso: {
    '/redfish/v1': {
      '@odata.id': '/redfish/v1',
      '@odata.type': '#ServiceRoot.v1_11_0.ServiceRoot',
      Id: 'RootService',
      Name: 'Root Service',
      RedfishVersion: '1.13.0',
      Vendor: 'Contoso',
      Systems: { '@odata.id': '/redfish/v1/Systems' },
      Chassis: { '@odata.id': '/redfish/v1/Chassis' },
      Managers: { '@odata.id': '/redfish/v1/Managers' },
      AccountService: { '@odata.id': '/redfish/v1/AccountService' },
      SessionService: { '@odata.id': '/redfish/v1/SessionService' },
      Registries: { '@odata.id': '/redfish/v1/Registries' },
      Links: { Sessions: { '@odata.id': '/redfish/v1/Sessions' } },
      Oem: { Contoso: { '@odata.type': '#ContosoServiceRoot.v1_0_0.ContosoServiceRoot', ServiceTag: 'CT0SO42' } }
    },
    '/redfish/v1/Systems': {
      '@odata.id': '/redfish/v1/Systems',
      '@odata.type': '#ComputerSystemCollection.ComputerSystemCollection',
      Name: 'Computer System Collection',
      Members: [{ '@odata.id': '/redfish/v1/Systems/System.Embedded.1' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Systems/System.Embedded.1': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1',
      '@odata.type': '#ComputerSystem.v1_16_0.ComputerSystem',
      Id: 'System.Embedded.1',
      Name: 'System',
      Manufacturer: 'Contoso Inc.',
      Model: 'Flatbed 640',
      SerialNumber: 'CN7475167B0042',
      UUID: '4c4c4544-0043-5410-8030-b7c04f4e3432',
      AssetTag: 'shelf 3',
      HostName: 'db7.example.net',
      PowerState: 'Off',
      Bios: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BIOS' },
      Boot: {
        BootOptions: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BootOptions' },
        BootSourceOverrideTarget: 'None',
        BootSourceOverrideEnabled: 'Disabled'
      },
      Processors: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/Processors' },
      SecureBoot: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot' },
      Status: { State: 'Enabled', Health: 'Warning' },
      Links: {
        Chassis: [{ '@odata.id': '/redfish/v1/Chassis/System.Embedded.1' }],
        ManagedBy: [{ '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1' }],
        Oem: { Contoso: { Boot: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/Oem/Contoso/BootSources' } } }
      },
      Actions: {
        '#ComputerSystem.Reset': {
          target: '/redfish/v1/Systems/System.Embedded.1/Actions/ComputerSystem.Reset',
          'ResetType@Redfish.AllowableValues': ['On', 'ForceOff']
        }
      },
      Oem: { Contoso: { LastBoot: '2024-02-29T12:00:00Z', IdracAddress: '10.11.12.13', Password: 'hunter2' } }
    },
    '/redfish/v1/Systems/System.Embedded.1/BIOS': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BIOS',
      '@odata.type': '#Bios.v1_2_0.Bios',
      '@Redfish.Settings': {
        '@odata.type': '#Settings.v1_3_4.Settings',
        ETag: '"1"',
        SettingsObject: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BIOS/SD' }
      },
      Id: 'BIOS',
      Name: 'BIOS Configuration Current Settings',
      AttributeRegistry: 'BiosAttributeRegistry.v1_0_3',
      Attributes: { BootMode: 'Bios', NumLock: 'On', MemTest: 'Enabled', OldName: 'kept' }
    },
    '/redfish/v1/Systems/System.Embedded.1/BIOS/SD': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BIOS/SD',
      '@odata.type': '#Bios.v1_2_0.Bios',
      Id: 'Settings',
      Name: 'BIOS Configuration Pending Settings',
      AttributeRegistry: 'BiosAttributeRegistry.v1_0_3',
      Attributes: {}
    },
    '/redfish/v1/Systems/System.Embedded.1/BootOptions': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BootOptions',
      '@odata.type': '#BootOptionCollection.BootOptionCollection',
      Name: 'Boot Options Collection',
      Members: [{ '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BootOptions/NIC.PxeDevice.1-1' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Systems/System.Embedded.1/BootOptions/NIC.PxeDevice.1-1': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/BootOptions/NIC.PxeDevice.1-1',
      '@odata.type': '#BootOption.v1_0_4.BootOption',
      Id: 'NIC.PxeDevice.1-1',
      Name: 'Uefi Boot Option',
      Alias: 'Pxe',
      BootOptionReference: 'Boot0003',
      DisplayName: 'PXE Device 1',
      UefiDevicePath: 'PciRoot(0x0)/MAC(3CECEF0A1B2C,0x1)'
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot',
      '@odata.type': '#SecureBoot.v1_1_0.SecureBoot',
      Id: 'SecureBoot',
      Name: 'UEFI Secure Boot',
      SecureBootEnable: true,
      SecureBootCurrentBoot: 'Enabled',
      SecureBootDatabases: { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases' }
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases',
      '@odata.type': '#SecureBootDatabaseCollection.SecureBootDatabaseCollection',
      Name: 'SecureBootDatabase Collection',
      Members: [
        { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK' },
        { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db' },
        { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault' }
      ]
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK',
      '@odata.type': '#SecureBootDatabase.v1_0_0.SecureBootDatabase',
      Id: 'PK',
      Name: 'Platform',
      DatabaseId: 'PK',
      Certificates: {
        '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK/Certificates'
      }
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db',
      '@odata.type': '#SecureBootDatabase.v1_0_0.SecureBootDatabase',
      Id: 'db',
      Name: 'Allowed',
      DatabaseId: 'db',
      Certificates: {
        '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates'
      }
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault',
      '@odata.type': '#SecureBootDatabase.v1_0_0.SecureBootDatabase',
      Id: 'dbxDefault',
      Name: 'Denied',
      DatabaseId: 'dbxDefault',
      Signatures: {
        '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault/Signatures'
      }
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK/Certificates': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK/Certificates',
      '@odata.type': '#CertificateCollection.CertificateCollection',
      Name: 'Certificate Collection',
      Members: [
        {
          '@odata.id':
            '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK/Certificates/CustSecbootpolicy.1'
        }
      ]
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK/Certificates/CustSecbootpolicy.1': {
      '@odata.id':
        '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/PK/Certificates/CustSecbootpolicy.1',
      '@odata.type': '#Certificate.v1_5_0.Certificate',
      Id: 'CustSecbootpolicy.1',
      Name: 'Owner',
      CertificateType: 'PEM',
      CertificateString: certificate
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates',
      '@odata.type': '#CertificateCollection.CertificateCollection',
      Name: 'Certificate Collection',
      Members: [
        {
          '@odata.id':
            '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates/StdSecbootpolicy.1'
        },
        {
          '@odata.id':
            '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates/StdSecbootpolicy.2'
        }
      ]
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates/StdSecbootpolicy.1': {
      '@odata.id':
        '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates/StdSecbootpolicy.1',
      '@odata.type': '#Certificate.v1_5_0.Certificate',
      Id: 'StdSecbootpolicy.1',
      Name: 'One',
      CertificateType: 'PEM',
      CertificateString: certificate
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates/StdSecbootpolicy.2': {
      '@odata.id':
        '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/db/Certificates/StdSecbootpolicy.2',
      '@odata.type': '#Certificate.v1_5_0.Certificate',
      Id: 'StdSecbootpolicy.2',
      Name: 'Not told',
      CertificateType: 'PEM',
      CertificateString: null
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault/Signatures': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault/Signatures',
      '@odata.type': '#SignatureCollection.SignatureCollection',
      Name: 'Signature Collection',
      Members: [
        { '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault/Signatures/1' }
      ]
    },
    '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault/Signatures/1': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/SecureBoot/SecureBootDatabases/dbxDefault/Signatures/1',
      '@odata.type': '#Signature.v1_0_0.Signature',
      Id: '1',
      Name: 'Image',
      SignatureType: 'EFI_CERT_SHA256_GUID',
      SignatureString: 'AB'.repeat(32)
    },
    '/redfish/v1/Systems/System.Embedded.1/Processors': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/Processors',
      '@odata.type': '#ProcessorCollection.ProcessorCollection',
      Name: 'ProcessorsCollection',
      Members: [{ '@odata.id': '/redfish/v1/Systems/System.Embedded.1/Processors/CPU.Socket.1' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Systems/System.Embedded.1/Processors/CPU.Socket.1': {
      '@odata.id': '/redfish/v1/Systems/System.Embedded.1/Processors/CPU.Socket.1',
      '@odata.type': '#Processor.v1_14_0.Processor',
      '@Redfish.WriteableProperties': ['AppliedOperatingConfig', 'SpeedLimitMHz', 'ThrottlingPolicy'],
      Id: 'CPU.Socket.1',
      Name: 'CPU 1',
      Model: 'Turtle 9000',
      SpeedLimitMHz: 3100,
      ThrottlingPolicy: 'Polite',
      'ThrottlingPolicy@Redfish.AllowableValues': ['Polite', 'Rude'],
      Version: '10.20.30.40'
    },
    '/redfish/v1/Registries': {
      '@odata.id': '/redfish/v1/Registries',
      '@odata.type': '#MessageRegistryFileCollection.MessageRegistryFileCollection',
      Name: 'Registry File Collection',
      Members: [{ '@odata.id': '/redfish/v1/Registries/BiosAttributeRegistry' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Registries/BiosAttributeRegistry': {
      '@odata.id': '/redfish/v1/Registries/BiosAttributeRegistry',
      '@odata.type': '#MessageRegistryFile.v1_1_3.MessageRegistryFile',
      Id: 'BiosAttributeRegistry',
      Name: 'BIOS Attribute Registry',
      Registry: 'BiosAttributeRegistry.v1_0_3',
      Languages: ['en'],
      Location: [{ Language: 'en', Uri: '/redfish/v1/Registries/BiosAttributeRegistry/BiosAttributeRegistry.json' }]
    },
    '/redfish/v1/Registries/BiosAttributeRegistry/BiosAttributeRegistry.json': {
      '@odata.type': '#AttributeRegistry.v1_3_6.AttributeRegistry',
      Id: 'BiosAttributeRegistry.v1_0_3',
      Name: 'BIOS Attribute Registry',
      Language: 'en',
      OwningEntity: 'Contoso',
      RegistryVersion: '1.0.3',
      RegistryEntries: {
        Attributes: [
          {
            AttributeName: 'BootMode',
            Type: 'Enumeration',
            Value: [{ ValueName: 'Bios' }, { ValueName: 'Uefi' }]
          },
          { AttributeName: 'NumLock', Type: 'Enumeration', Value: [{ ValueName: 'On' }, { ValueName: 'Off' }] },
          { AttributeName: 'MemTest', Type: 'Enumeration', ReadOnly: true, Value: [{ ValueName: 'Enabled' }] },
          { AttributeName: 'Broken', Type: 'String', ValueExpression: '(((' },
          { AttributeName: 'Odd', Type: 'Riddle' }
        ]
      }
    },
    '/redfish/v1/Chassis': {
      '@odata.id': '/redfish/v1/Chassis',
      '@odata.type': '#ChassisCollection.ChassisCollection',
      Name: 'Chassis Collection',
      Members: [{ '@odata.id': '/redfish/v1/Chassis/System.Embedded.1' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Chassis/System.Embedded.1': {
      '@odata.id': '/redfish/v1/Chassis/System.Embedded.1',
      '@odata.type': '#Chassis.v1_21_0.Chassis',
      Id: 'System.Embedded.1',
      Name: 'Computer System Chassis',
      ChassisType: 'StandAlone',
      AssetTag: 'rack 12',
      Power: { '@odata.id': '/redfish/v1/Chassis/System.Embedded.1/Power' },
      Links: { ComputerSystems: [{ '@odata.id': '/redfish/v1/Systems/System.Embedded.1' }] }
    },
    '/redfish/v1/Chassis/System.Embedded.1/Power': {
      '@odata.id': '/redfish/v1/Chassis/System.Embedded.1/Power',
      '@odata.type': '#Power.v1_7_2.Power',
      Id: 'Power',
      Name: 'Power',
      PowerSupplies: [
        {
          '@odata.id': '/redfish/v1/Chassis/System.Embedded.1/Power#/PowerSupplies/0',
          MemberId: 'PSU.Slot.1',
          PowerCapacityWatts: 750
        }
      ]
    },
    '/redfish/v1/Managers': {
      '@odata.id': '/redfish/v1/Managers',
      '@odata.type': '#ManagerCollection.ManagerCollection',
      Name: 'Manager Collection',
      Members: [{ '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Managers/CMC.Embedded.1': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1',
      '@odata.type': '#Manager.v1_15_0.Manager',
      Id: 'CMC.Embedded.1',
      Name: 'Manager',
      Model: '16G Flatbed',
      FirmwareVersion: '6.10.30.00',
      EthernetInterfaces: { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces' },
      LogServices: { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices' },
      VirtualMedia: { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia' },
      Links: {
        ManagerForServers: [{ '@odata.id': '/redfish/v1/Systems/System.Embedded.1' }],
        ManagerForChassis: [{ '@odata.id': '/redfish/v1/Chassis/System.Embedded.1' }]
      }
    },
    '/redfish/v1/Managers/CMC.Embedded.1/LogServices': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices',
      '@odata.type': '#LogServiceCollection.LogServiceCollection',
      Name: 'Log Service Collection',
      Members: [
        { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel' },
        { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog' }
      ],
      'Members@odata.count': 2
    },
    '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel',
      '@odata.type': '#LogService.v1_1_3.LogService',
      Id: 'Sel',
      Name: 'Log Sel',
      LogEntryType: 'SEL',
      Entries: { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel/Entries' },
      Actions: {
        '#LogService.ClearLog': {
          target: '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel/Actions/LogService.ClearLog'
        }
      }
    },
    '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel/Entries': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Sel/Entries',
      '@odata.type': '#LogEntryCollection.LogEntryCollection',
      Name: 'Log Entry Collection',
      Members: [],
      'Members@odata.count': 0
    },
    '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog',
      '@odata.type': '#LogService.v1_1_3.LogService',
      Id: 'Lclog',
      Name: 'Log Lclog',
      LogEntryType: 'Event',
      Entries: { '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog/Entries' },
      Actions: {
        '#LogService.ClearLog': {
          target: '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog/Actions/LogService.ClearLog'
        }
      }
    },
    '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog/Entries': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/LogServices/Lclog/Entries',
      '@odata.type': '#LogEntryCollection.LogEntryCollection',
      Name: 'Log Entry Collection',
      Members: [],
      'Members@odata.count': 0
    },
    '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces',
      '@odata.type': '#EthernetInterfaceCollection.EthernetInterfaceCollection',
      Name: 'Ethernet Network Interface Collection',
      Members: [{ '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces/NIC.1' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces/NIC.1': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces/NIC.1',
      '@odata.type': '#EthernetInterface.v1_8_0.EthernetInterface',
      Id: 'NIC.1',
      Name: 'Manager Ethernet Interface',
      MACAddress: '3C:EC:EF:0A:1B:2C',
      IPv4Addresses: [{ Address: '10.11.12.13', SubnetMask: '255.255.255.0' }]
    },
    '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia',
      '@odata.type': '#VirtualMediaCollection.VirtualMediaCollection',
      Name: 'Virtual Media Collection',
      Members: [{ '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia/CD' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia/CD': {
      '@odata.id': '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia/CD',
      '@odata.type': '#VirtualMedia.v1_4_0.VirtualMedia',
      Id: 'CD',
      Name: 'Virtual CD',
      MediaTypes: ['CD', 'DVD'],
      Actions: {
        '#VirtualMedia.InsertMedia': {
          target: '/redfish/v1/Managers/CMC.Embedded.1/VirtualMedia/CD/Actions/VirtualMedia.InsertMedia'
        }
      }
    },
    '/redfish/v1/AccountService': {
      '@odata.id': '/redfish/v1/AccountService',
      '@odata.type': '#AccountService.v1_12_0.AccountService',
      Id: 'AccountService',
      Name: 'Account Service',
      Accounts: { '@odata.id': '/redfish/v1/AccountService/Accounts' },
      Oem: { Contoso: { Directory: 'off' } }
    },
    '/redfish/v1/AccountService/Accounts': {
      '@odata.id': '/redfish/v1/AccountService/Accounts',
      '@odata.type': '#ManagerAccountCollection.ManagerAccountCollection',
      Name: 'Accounts',
      Members: [{ '@odata.id': '/redfish/v1/AccountService/Accounts/17' }],
      'Members@odata.count': 1
    },
    '/redfish/v1/AccountService/Accounts/17': {
      '@odata.id': '/redfish/v1/AccountService/Accounts/17',
      '@odata.type': '#ManagerAccount.v1_8_0.ManagerAccount',
      Id: '17',
      Name: 'User Account',
      UserName: 'erika.mustermann'
    },
    '/redfish/v1/SessionService': {
      '@odata.id': '/redfish/v1/SessionService',
      '@odata.type': '#SessionService.v1_1_8.SessionService',
      Id: 'SessionService',
      Name: 'Session Service',
      Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions' }
    }
  },

  /** Slashes at the ends, ids that are numbers, types without a version, links in odd places; begins at `/redfish/v1`. */
  fabrikam: {
    '/redfish/v1': {
      '@odata.id': '/redfish/v1/',
      '@odata.type': '#ServiceRoot.v1_3_1.ServiceRoot',
      Id: 'v1',
      Name: 'Fabrikam',
      Systems: { '@odata.id': '/redfish/v1/Systems/' },
      Chassis: { '@odata.id': '/redfish/v1/Chassis/' },
      Managers: { '@odata.id': '/redfish/v1/Managers/' },
      Oem: { Fab: { Manager: [{ Languages: [{ Language: 'en' }] }] } }
    },
    '/redfish/v1/Systems': {
      '@odata.id': '/redfish/v1/Systems/',
      '@odata.type': '#ComputerSystemCollection.ComputerSystemCollection',
      Name: 'Systems',
      Members: [{ '@odata.id': '/redfish/v1/Systems/0/' }, { '@odata.id': '/redfish/v1/Systems/1/' }]
    },
    '/redfish/v1/Systems/0': {
      '@odata.id': '/redfish/v1/Systems/0/',
      '@odata.type': '#ComputerSystem.ComputerSystem',
      Id: '0',
      Name: 'Node 0',
      PowerState: 'On',
      Oem: {
        Fab: {
          '@odata.type': '#FabSystem.v2_11_0.FabSystem',
          '@Redfish.WriteableProperties': ['Nickname'],
          Nickname: 'zero',
          Fixed: 1
        }
      },
      Actions: { '#ComputerSystem.Reset': { target: '/redfish/v1/Systems/0/Actions/ComputerSystem.Reset/' } }
    },
    '/redfish/v1/Systems/1': {
      '@odata.id': '/redfish/v1/Systems/1/',
      '@odata.type': '#ComputerSystem.v1_2_0.ComputerSystem',
      Id: '1',
      Name: 'Node 1',
      PowerState: 'On'
    },
    '/redfish/v1/Chassis': {
      '@odata.id': '/redfish/v1/Chassis/',
      '@odata.type': '#ChassisCollection.ChassisCollection',
      Name: 'Chassis',
      Members: [{ '@odata.id': '/redfish/v1/Chassis/Rack%20Mount/' }]
    },
    '/redfish/v1/Chassis/Rack%20Mount': {
      '@odata.id': '/redfish/v1/Chassis/Rack%20Mount/',
      '@odata.type': '#Chassis.v1_0_0.Chassis',
      Id: 'Rack Mount',
      Name: 'Rack',
      ChassisType: 'Rack'
    },
    '/redfish/v1/Managers': {
      '@odata.id': '/redfish/v1/Managers/',
      '@odata.type': '#ManagerCollection.ManagerCollection',
      Name: 'Managers',
      Members: [{ '@odata.id': '/redfish/v1/Managers/bmc/' }]
    },
    '/redfish/v1/Managers/bmc': {
      '@odata.id': '/redfish/v1/Managers/bmc/',
      '@odata.type': '#Manager.v1_3_1.Manager',
      Id: 'bmc',
      Name: 'BMC'
    }
  },

  /** The sessions, the system and its reset at paths of its own; no types in some places, no ids in others. */
  litware: {
    '/redfish/v1': {
      '@odata.id': '/redfish/v1/',
      '@odata.type': '#ServiceRoot.v1_5_0.ServiceRoot',
      Id: 'RootService',
      Systems: { '@odata.id': '/redfish/v1/Nodes' },
      Chassis: { '@odata.id': '/redfish/v1/Chassis' },
      Managers: { '@odata.id': '/redfish/v1/Managers' },
      Links: { Sessions: { '@odata.id': '/redfish/v1/Logins' } }
    },
    '/redfish/v1/Nodes': {
      '@odata.id': '/redfish/v1/Nodes',
      '@odata.type': '#ComputerSystemCollection.ComputerSystemCollection',
      Members: [{ '@odata.id': '/redfish/v1/Nodes/node%231' }]
    },
    '/redfish/v1/Nodes/node%231': {
      '@odata.id': '/redfish/v1/Nodes/node%231',
      '@odata.type': '#ComputerSystem.v1_0_2.ComputerSystem',
      Id: 'node#1',
      PowerState: 'On',
      Boot: { BootSourceOverrideTarget: 'None' },
      Actions: { '#ComputerSystem.Reset': { target: '/redfish/v1/Nodes/node%231/Power.Reset' } },
      __proto__x: { constructor: 'odd' },
      Oem: { 'Litware.Lights': [[1, 2], { Colour: '\u202e<script>' }, null] }
    },
    '/redfish/v1/Chassis': { Members: [] },
    '/redfish/v1/Managers': {
      '@odata.id': '/redfish/v1/Managers',
      Members: [{ '@odata.id': '/redfish/v1/Managers/1' }]
    },
    '/redfish/v1/Managers/1': {
      '@odata.id': '/redfish/v1/Managers/1',
      '@odata.type': '#Manager.v1_0_2.Manager',
      Id: '1',
      Name: 'Litware'
    }
  }
}

/** Writes a mockup into a folder, which begins at a path. */
export function writeMockup(folder: string, name: string, from = ''): string {
  return writeResources(folder, mockups[name] ?? {}, from)
}

/** The same for any resources. */
export function writeResources(folder: string, resources: Readonly<Record<string, Body>>, from = ''): string {
  for (const [path, body] of Object.entries(resources)) {
    const at = `${folder}${path.slice(from.length)}`
    mkdirSync(at, { recursive: true })
    writeFileSync(`${at}/index.json`, JSON.stringify(body))
    writeFileSync(`${at}/headers.json`, '{"GET":{"Allow":"GET"}}')
  }
  return folder
}
