import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { anonymous, start } from './server.ts'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const at = (path: string) => ({ '@odata.id': `/redfish/v1/${path}` })

onBothHosts(async (t, host) => {
  const server = await start(t, host)
  const json = async (path: string) => (await server.get(`/redfish/v1/${path}`)).json

  /** A value may be null; a property may not be missing. */
  const has = (t: Test, body: object, ...names: string[]) => {
    for (const name of names) t.ok(name in body, name)
  }

  t.test('every resource has the common properties', async (t) => {
    for (const [path, type] of [
      ['Chassis/1/', 'Chassis.Chassis'],
      ['Systems/1/Bios/', 'Bios.Bios'],
      ['Registries/Base/', 'MessageRegistryFile.MessageRegistryFile']
    ] as const) {
      const body = await json(path)
      const [namespace, name] = type.split('.')
      t.match(body, {
        '@odata.context': `/redfish/v1/$metadata#${type}`,
        '@odata.etag': /^W\/"[0-9a-f]+"$/,
        '@odata.id': `/redfish/v1/${path}`,
        '@odata.type': new RegExp(`^#${namespace}\\.v\\d+_\\d+_\\d+\\.${name}$`),
        Id: String,
        Name: String
      })
    }
  })

  t.test('a collection has Members and their count', async (t) => {
    for (const path of ['Chassis/', 'Systems/', 'Managers/', 'Registries/', 'schemas/', 'SessionService/Sessions/']) {
      const body = await json(path)
      t.match(body, { '@odata.type': /^#(\w+Collection)\.\1$/, 'Members@odata.count': Number }, path)
      for (const member of body.Members) t.same(Object.keys(member), ['@odata.id'], path)
      t.ok(body.Members.length <= body['Members@odata.count'], path)
    }
  })

  t.test('the service root shows its identity and links the services', async (t) => {
    const root = (await server.get('/redfish/v1/', anonymous)).json
    t.match(root, {
      Id: String,
      Name: String,
      Product: String,
      Vendor: String,
      RedfishVersion: /^\d+\.\d+\.\d+$/,
      UUID: uuid,
      AccountService: at('AccountService/'),
      CertificateService: at('CertificateService/'),
      Chassis: at('Chassis/'),
      ComponentIntegrity: at('ComponentIntegrity/'),
      EventService: at('EventService/'),
      JsonSchemas: at('schemas/'),
      Managers: at('Managers/'),
      Links: { Sessions: at('SessionService/Sessions/'), ComponentIntegrity: at('ComponentIntegrity/') },
      Oem: {
        Vendor: {
          DebugCode: false,
          DevSystem: Boolean,
          Links: { ResourceDirectory: at('ResourceDirectory/') },
          System: [{ Status: { Health: 'OK' } }],
          Time: time
        }
      }
    })
  })

  t.test('a chassis and its enclosure show their identity', async (t) => {
    const enclosure = await json('Chassis/enclosurechassis/')
    t.equal(enclosure.ChassisType, 'Enclosure')
    const chassis = await json('Chassis/1/')
    t.match(chassis, {
      ChassisType: String,
      IndicatorLED: 'Off',
      LocationIndicatorActive: false,
      Manufacturer: String,
      SerialNumber: String,
      PowerState: 'On',
      PCIeDevices: at('Chassis/1/PCIeDevices/'),
      PCIeSlots: at('Chassis/1/PCIeSlots/'),
      Status: { Health: 'OK' }
    })
    for (const { Oem } of [chassis, enclosure].filter((each) => each.Oem)) {
      t.match(Oem.Vendor, { '@odata.type': /^#VendorServerChassis\.v\d+_\d+_\d+\.VendorServerChassis$/ })
      t.match(Oem.Vendor, { EnclosureIndicatorLED: String, EnclosureModel: String, EnclosureUUID: uuid })
      t.match(Oem.Vendor.OnboardAdministrator, { IPv6: Object })
      has(t, Oem.Vendor.OnboardAdministrator, 'IPv4Address', 'MacAddress')
    }
    t.ok(chassis.Oem ?? enclosure.Oem, 'one of them has the vendor’s block')
  })

  t.test('a system shows its identity, its boot settings and its actions', async (t) => {
    const system = await json('Systems/1/')
    t.match(system, {
      AssetTag: String,
      BiosVersion: String,
      UUID: uuid,
      Bios: at('Systems/1/Bios/'),
      Boot: {
        BootOptions: at('Systems/1/BootOptions/'),
        BootSourceOverrideEnabled: 'Disabled',
        BootSourceOverrideMode: 'UEFI',
        BootSourceOverrideTarget: 'None'
      },
      Actions: { '#ComputerSystem.Reset': { target: String } }
    })
    const { BootOrder, 'BootSourceOverrideTarget@Redfish.AllowableValues': targets } = system.Boot
    t.ok(BootOrder.length > 1 && BootOrder.every((each: string) => /^Boot[0-9A-F]{4}$/.test(each)))
    t.same(targets, 'None Cd Hdd Usb SDCard Utilities Diags BiosSetup Pxe UefiShell UefiHttp UefiTarget'.split(' '))
    for (const action of [
      ...['PowerButton', 'SystemReset', 'RestoreManufacturingDefaults', 'RestoreSystemDefaults', 'SecureSystemErase'],
      ...['SendBreak', 'ServerIntelligentDiagnosticsMode', 'ServerSafeMode']
    ]) {
      const name = `VendorComputerSystemExt.${action}`
      const target = `/redfish/v1/Systems/1/Actions/Oem/Vendor/${name}/`
      t.match(system.Oem.Vendor.Actions[`#${name}`], { target })
    }
  })

  t.test('a manager offers its actions and shows its firmware images', async (t) => {
    const manager = await json('Managers/1/')
    for (const action of ['Reset', 'ResetToDefaults']) {
      t.match(manager.Actions[`#Manager.${action}`], { target: `/redfish/v1/Managers/1/Actions/Manager.${action}/` })
    }
    const image = '/redfish/v1/UpdateService/FirmwareInventory/Manager-1-A/'
    t.match(manager.Links, { ActiveSoftwareImage: { '@odata.id': image }, SoftwareImages: { length: 2 } })
    t.match(manager.LastResetTime, /^\d{4}-/)
    for (const action of [
      ...['ClearRestApiState', 'ResetToFactoryDefaults', 'ClearHotKeys', 'ClearNVRAM', 'DisableCloudConnect'],
      ...['EnableCloudConnect', 'DisableMgmtFunctionality', 'RequestFirmwareAndOsRecovery']
    ]) {
      const name = `VendorMgmt.${action}`
      const target = `/redfish/v1/Managers/1/Actions/Oem/Vendor/${name}/`
      t.match(manager.Oem.Vendor.Actions[`#${name}`], { target })
    }
  })

  t.test('a network port has names, name servers and addresses, and says which of these may be used', async (t) => {
    const names = { HostName: 'mc-sim2510a7k', FQDN: 'mc-sim2510a7k.example.net' }
    t.match((await server.get('/redfish/v1/Managers/1/EthernetInterfaces/1/')).json, {
      ...names,
      NameServers: ['192.0.2.53'],
      IPv6Addresses: [{ AddressOrigin: 'LinkLocal', AddressState: 'Preferred' }]
    })
    t.match((await server.get('/redfish/v1/Managers/1/NetworkProtocol/')).json, names)
    const { Members } = (await server.get('/redfish/v1/Systems/1/EthernetInterfaces/')).json
    for (const member of Members) {
      const { json } = await server.get(member['@odata.id'])
      t.match(json, { HostName: null, FQDN: null, NameServers: [], IPv6Addresses: [] })
    }
  })

  t.test('a secure boot database links its certificates and signatures', async (t) => {
    const path = 'Systems/1/SecureBoot/SecureBootDatabases/db/'
    t.match(await json(path), {
      Id: 'db',
      DatabaseId: 'db',
      Name: String,
      Description: String,
      Certificates: at(`${path}Certificates/`),
      Signatures: at(`${path}Signatures/`),
      Actions: { '#SecureBootDatabase.ResetKeys': { target: String } }
    })
  })

  t.test('a boot option has a structured name', async (t) => {
    for (const { '@odata.id': path } of (await server.get('/redfish/v1/Systems/1/BootOptions/')).json.Members) {
      const option = (await server.get(path)).json
      t.match(option, { BootOptionReference: /^Boot[0-9A-F]{4}$/, UefiDevicePath: String })
      t.match(option.Name, /^\w+(\.\w+){2,4}$/)
      t.equal(option.Oem.Vendor.StructuredBootString, option.Name)
    }
  })
})
