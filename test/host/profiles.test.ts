import { licenseKey } from './authority.ts'
import { onBothHosts } from './every-host.ts'
import { type Json, start } from './server.ts'

const health = ['Status.State', 'Status.Health']
const manager = 'Managers/1/'
const chassis = 'Chassis/1/'

const system = 'Systems/1/'

/**
 * The properties that interoperability profiles make mandatory or recommend to read, by resource: those of the Open Compute
 * Project, of a service (1.0.1), of hardware (1.1.1) and of servers (1.1.0), and that of OpenStack Ironic (1.2.0).
 * `docs/clients.md` says what is left out.
 */
const read: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['AccountService', 'CertificateService', 'Chassis', 'EventService', 'Managers', 'SessionService', 'UUID'],
    ...['Product', 'RedfishVersion', 'Vendor', 'ProtocolFeaturesSupported.ExpandQuery'],
    ...['FilterQuery', 'OnlyMemberQuery', 'MultipleHTTPRequests'].map((each) => `ProtocolFeaturesSupported.${each}`)
  ],
  'AccountService/': ['Accounts', 'Roles', 'SupportedAccountTypes'],
  'AccountService/Accounts/admin/': ['AccountTypes', 'Enabled', 'Links.Role', 'Password', 'RoleId', 'UserName'],
  'AccountService/Roles/Operator/': ['AssignedPrivileges', 'IsPredefined', 'RoleId'],
  'CertificateService/': [
    'CertificateLocations',
    'Actions.#CertificateService.GenerateCSR.@Redfish.ActionInfo',
    'Actions.#CertificateService.ReplaceCertificate.target'
  ],
  [`${manager}NetworkProtocol/HTTPS/Certificates/1/`]: ['CertificateString'],
  [chassis]: [
    ...['ChassisType', 'IndicatorLED', 'LocationIndicatorActive', 'Model', 'SerialNumber', 'PowerState', ...health],
    ...['Power', 'PowerSubsystem', 'Thermal', 'ThermalSubsystem', 'EnvironmentMetrics', 'Sensors', 'Controls'],
    ...['Links.ManagedBy', 'Links.ComputerSystems', 'AssetTag', 'Manufacturer', 'SKU', 'PartNumber', 'UUID']
  ],
  [`${chassis}Controls/`]: ['Members'],
  [`${chassis}EnvironmentMetrics/`]: ['PowerWatts', 'PowerLimitWatts.SetPoint'],
  [`${chassis}Power/`]: [
    ...['PowerConsumedWatts', 'PowerCapacityWatts', 'PowerLimit.LimitInWatts', 'PowerLimit.LimitException'].map(
      (each) => `PowerControl.0.${each}`
    ),
    ...['LastPowerOutputWatts', 'LineInputVoltage', 'PowerCapacityWatts', 'SerialNumber', ...health].map(
      (each) => `PowerSupplies.0.${each}`
    )
  ],
  [`${chassis}PowerSubsystem/`]: ['CapacityWatts'],
  [`${chassis}Thermal/`]: [
    ...['Name', 'Reading', 'ReadingUnits', 'MaxReadingRange', 'MinReadingRange', ...health].map(
      (each) => `Fans.0.${each}`
    ),
    ...['ReadingCelsius', 'SensorNumber', 'MaxReadingRangeTemp', 'MinReadingRangeTemp', ...health].map(
      (each) => `Temperatures.0.${each}`
    ),
    ...['Fatal', 'Critical', 'NonCritical'].map((each) => `Temperatures.0.UpperThreshold${each}`)
  ],
  [`${chassis}ThermalSubsystem/`]: [
    ...['ThermalMetrics', 'Fans'],
    ...['RedundancyType', 'MinNeededInGroup', 'MaxSupportedInGroup', 'RedundancyGroup', 'Status'].map(
      (each) => `FanRedundancy.0.${each}`
    )
  ],
  [`${chassis}ThermalSubsystem/Fans/21/`]: ['Name', 'SpeedPercent.Reading'],
  [`${chassis}ThermalSubsystem/ThermalMetrics/`]: ['TemperatureSummaryCelsius.Exhaust'],
  [system]: [
    ...['AssetTag', 'BiosVersion', 'IndicatorLED', 'Manufacturer', 'Model', 'PartNumber', 'PowerState', 'SKU'],
    ...['SerialNumber', 'SystemType', 'UUID', ...health, 'MemorySummary.TotalSystemMemoryGiB'],
    ...['ProcessorSummary.Count', 'ProcessorSummary.Model', 'Links.Chassis', 'Links.ManagedBy'],
    ...['Enabled', 'Mode', 'Target'].map((each) => `Boot.BootSourceOverride${each}`),
    ...['Boot.UefiTargetBootSourceOverride', 'Bios', 'EthernetInterfaces', 'LogServices', 'Processors'],
    ...['SecureBoot', 'SerialConsole', 'Storage', 'Actions.#ComputerSystem.Reset.target']
  ],
  [`${system}Bios/`]: [
    ...['Attributes', 'AttributeRegistry', 'Actions.#Bios.ResetBios.target'],
    ...['ETag', 'Messages', 'SettingsObject', 'SupportedApplyTimes'].map((each) => `@Redfish.Settings.${each}`)
  ],
  [`${system}EthernetInterfaces/1/`]: [
    ...['MACAddress', 'SpeedMbps', 'InterfaceEnabled', 'LinkStatus', ...health, 'HostName', 'FQDN', 'NameServers'],
    'IPv4Addresses'
  ],
  [`${system}Processors/1/`]: ['ProcessorArchitecture', 'TotalThreads'],
  [`${system}SecureBoot/`]: ['SecureBootEnable', 'Actions.#SecureBoot.ResetKeys.target'],
  [`${system}Storage/slot3/`]: [...['Drives', 'Controllers', 'Volumes', 'StorageControllers.0.SupportedRAIDTypes']],
  [`${system}Storage/slot3/Controllers/1/`]: ['SupportedRAIDTypes'],
  [`${system}Storage/slot3/Drives/1/`]: ['CapacityBytes', 'MediaType', 'Protocol', ...health],
  [`${system}Storage/slot3/Volumes/`]: ['@Redfish.OperationApplyTimeSupport'],
  [`${system}Storage/slot3/Volumes/1/`]: ['CapacityBytes', 'Name', 'RAIDType'],
  'EventService/': [
    ...['ExcludeMessageId', 'ExcludeRegistryPrefix', 'IncludeOriginOfConditionSupported', 'RegistryPrefixes'],
    ...['ResourceTypes', 'ServiceEnabled', 'SubordinateResourcesSupported', 'Subscriptions']
  ],
  'EventService/Subscriptions/{}': [
    ...['Context', 'Destination', 'DeliveryRetryPolicy', 'Protocol', 'EventFormatType', 'SubscriptionType']
  ],
  'LicenseService/Licenses/{}': [
    ...['AuthorizationScope', 'EntitlementId', 'InstallDate', 'LicenseOrigin', 'LicenseType', 'Manufacturer'],
    ...['Removable', 'Status.State']
  ],
  [manager]: [
    ...['DateTime', 'DateTimeLocalOffset', 'ManagerType', 'UUID', ...health, 'FirmwareVersion', 'NetworkProtocol'],
    ...['EthernetInterfaces', 'LogServices', 'Links.ManagerForChassis', 'Links.ManagerForServers'],
    'Actions.#Manager.Reset.ResetType@Redfish.AllowableValues'
  ],
  [`${manager}EthernetInterfaces/1/`]: [
    ...['MACAddress', 'SpeedMbps', 'InterfaceEnabled', 'LinkStatus', ...health, 'HostName', 'FQDN', 'NameServers'],
    ...['Address', 'AddressOrigin', 'Gateway', 'SubnetMask'].map((each) => `IPv4Addresses.0.${each}`),
    ...['Address', 'PrefixLength', 'AddressOrigin', 'AddressState'].map((each) => `IPv6Addresses.0.${each}`),
    ...['DHCPv4', 'DHCPv6', 'IPv4StaticAddresses', 'IPv6StaticAddresses', 'IPv6StaticDefaultGateways'],
    'StaticNameServers'
  ],
  [`${manager}NetworkProtocol/`]: [
    ...['HostName', 'FQDN', 'Status', 'HTTPS.Certificates', 'HTTPS.ProtocolEnabled', 'HTTPS.Port'],
    ...[
      'HTTP.ProtocolEnabled',
      'HTTP.Port',
      'SSDP.ProtocolEnabled',
      'SSDP.Port',
      'NTP.NTPServers',
      'NTP.Port',
      'NTP.ProtocolEnabled'
    ]
  ],
  [`${manager}LogServices/EventLog/`]: ['DateTime', 'DateTimeLocalOffset', 'Entries', 'LogEntryType', 'ServiceEnabled'],
  [`${manager}LogServices/EventLog/Entries/1/`]: ['Created', 'EntryType', 'Message', 'MessageId', 'Severity'],
  [`${manager}VirtualMedia/1/`]: [
    ...['Image', 'Inserted', 'MediaTypes', 'WriteProtected'],
    ...['Actions.#VirtualMedia.EjectMedia.target', 'Actions.#VirtualMedia.InsertMedia.target']
  ],
  'SessionService/': ['Sessions', 'SessionTimeout'],
  'SessionService/Sessions/{}': ['UserName', 'ClientOriginIPAddress', 'CreatedTime'],
  'TaskService/': ['DateTime', 'Tasks'],
  'UpdateService/': ['Actions.#UpdateService.SimpleUpdate.target']
}

/** Those that must be writable, of a resource or of an object in it, which says which of its members are. */
const written: readonly (readonly [path: string, object: string, ...names: string[]])[] = [
  [chassis, '', 'AssetTag', 'IndicatorLED', 'LocationIndicatorActive'],
  [`${chassis}EnvironmentMetrics/`, 'PowerLimitWatts', 'SetPoint'],
  [system, '', 'AssetTag', 'IndicatorLED'],
  [system, 'Boot', ...['Enabled', 'Mode', 'Target'].map((each) => `BootSourceOverride${each}`)],
  [`${system}SecureBoot/`, '', 'SecureBootEnable'],
  [`${manager}EthernetInterfaces/1/`, '', 'HostName', 'FQDN', 'StaticNameServers'],
  [`${manager}EthernetInterfaces/1/`, 'DHCPv4', 'DHCPEnabled'],
  [`${manager}EthernetInterfaces/1/`, 'DHCPv6', 'OperatingMode'],
  [`${manager}NetworkProtocol/`, 'SSDP', 'ProtocolEnabled']
]

const resetTypes = 'Actions.#ComputerSystem.Reset.ResetType@Redfish.AllowableValues'

/** Values that properties and parameters must have among theirs. */
const values: readonly (readonly [path: string, list: string, ...values: string[]])[] = [
  [system, resetTypes, 'On', 'ForceOff', 'ForceRestart', 'GracefulShutdown', 'GracefulRestart', 'Nmi'],
  [system, 'Boot.BootSourceOverrideTarget@Redfish.AllowableValues', 'Pxe', 'Hdd', 'Cd'],
  [`${system}Bios/`, '@Redfish.Settings.SupportedApplyTimes', 'OnReset'],
  [manager, 'Actions.#Manager.Reset.ResetType@Redfish.AllowableValues', 'ForceRestart']
]

onBothHosts(async (t, host) => {
  const server = await start(t, host)
  await server.login()
  await server.post('/redfish/v1/EventService/Subscriptions/', { Destination: 'https://127.0.0.1:9/' })
  await server.post('/redfish/v1/Managers/1/LicenseService/', { LicenseKey: licenseKey() })

  t.test('all members that the profiles require or recommend are present', async (t) => {
    const caution = { Thresholds: { UpperCaution: { Reading: 40 } } }
    t.equal((await server.patch(`/redfish/v1/${chassis}Sensors/1/`, caution)).status, 200)
    for (const [path, properties] of Object.entries(read)) {
      const { status, json } = await server.get(`/redfish/v1/${path.replace('{}', '')}`)
      t.equal(status, 200, path)
      const body = path.endsWith('{}') ? (await server.get(json.Members[0]['@odata.id'])).json : json
      for (const property of properties) t.not(part(body, property), undefined, `${path} ${property}`)
    }
  })

  t.test('what the profiles require to be writable is', async (t) => {
    for (const [path, object, ...names] of written) {
      const { json } = await server.get(`/redfish/v1/${path}`)
      const writable = (object === '' ? json : json[object])['@Redfish.WriteableProperties']
      for (const name of names) t.ok(writable.includes(name), `${path} ${object} ${name}: ${writable}`)
    }
  })

  t.test('values that the profiles require are among those allowed', async (t) => {
    for (const [path, list, ...required] of values) {
      const allowed = part((await server.get(`/redfish/v1/${path}`)).json, list)
      for (const value of required) t.ok(allowed?.includes(value), `${path} ${list} ${value}: ${allowed}`)
    }
    const { Temperatures } = (await server.get(`/redfish/v1/${chassis}Thermal/`)).json
    const contexts = Temperatures.map(({ PhysicalContext }: Json) => PhysicalContext)
    for (const context of ['CPU', 'Intake', 'SystemBoard']) t.ok(contexts.includes(context), context)
  })

  t.test('the messages of the baseline are in the Base registry', async (t) => {
    const { Messages } = (await server.get('/redfish/v1/RegistryStore/registries/en/Base.json')).json
    for (const key of [
      ...['Success', 'GeneralError', 'NoOperation', 'ResourceNotFound', 'InvalidURI', 'InsufficientPrivilege'],
      'InternalError'
    ])
      t.ok(Messages[key], key)
  })

  t.test('the asset tag of a chassis is written', async (t) => {
    const path = `/redfish/v1/${chassis}`
    t.equal((await server.patch(path, { AssetTag: 'shelf 7' })).status, 200)
    t.equal((await server.get(path)).json.AssetTag, 'shelf 7')
    t.match((await server.get(path)).json.LocationIndicatorActive, false)
    t.equal((await server.patch(path, { AssetTag: 'x'.repeat(64) })).status, 400)
  })
})

/** The part of a body at a path of names, of which an action's has a dot in it. */
function part(body: Json, path: string): Json {
  const names = path.match(/#\w+\.\w+|\w*@\w+\.\w+|[^.]+/g) ?? []
  return names.reduce((at, name) => at?.[name], body)
}
