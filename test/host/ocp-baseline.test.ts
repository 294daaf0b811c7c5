import { licenseKey } from './authority.ts'
import { onBothHosts } from './every-host.ts'
import { type Json, start } from './server.ts'

const health = ['Status.State', 'Status.Health']
const manager = 'Managers/1/'
const chassis = 'Chassis/1/'

/**
 * The properties that the baseline profiles of the Open Compute Project make mandatory to read, of a service (1.0.1) and of
 * hardware (1.1.1), by resource. `docs/clients.md` says what is left out.
 */
const mandatory: Readonly<Record<string, readonly string[]>> = {
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
    ...['Links.ManagedBy', 'AssetTag', 'Manufacturer', 'SKU', 'PartNumber']
  ],
  [`${chassis}Controls/`]: ['Members'],
  [`${chassis}EnvironmentMetrics/`]: ['PowerWatts'],
  [`${chassis}Power/`]: ['PowerControl.0.PowerConsumedWatts', 'PowerControl.0.PowerLimit.LimitInWatts'],
  [`${chassis}PowerSubsystem/`]: ['CapacityWatts'],
  [`${chassis}Thermal/`]: ['Fans.0.Status', 'Fans.0.Reading', 'Temperatures.0.ReadingCelsius', 'Temperatures.0.Status'],
  [`${chassis}ThermalSubsystem/`]: ['ThermalMetrics', 'Fans'],
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
    ...['Address', 'PrefixLength', 'AddressOrigin', 'AddressState'].map((each) => `IPv6Addresses.0.${each}`)
  ],
  [`${manager}NetworkProtocol/`]: [
    ...['HostName', 'FQDN', 'Status', 'HTTPS.Certificates', 'HTTPS.ProtocolEnabled', 'HTTPS.Port'],
    ...['HTTP.ProtocolEnabled', 'HTTP.Port', 'NTP.NTPServers', 'NTP.Port', 'NTP.ProtocolEnabled']
  ],
  [`${manager}LogServices/EventLog/`]: ['DateTime', 'DateTimeLocalOffset', 'Entries', 'LogEntryType', 'ServiceEnabled'],
  [`${manager}LogServices/EventLog/Entries/1/`]: ['Created', 'EntryType', 'Message', 'MessageId', 'Severity'],
  'SessionService/': ['Sessions', 'SessionTimeout'],
  'SessionService/Sessions/{}': ['UserName', 'ClientOriginIPAddress', 'CreatedTime'],
  'TaskService/': ['DateTime', 'Tasks']
}

onBothHosts(async (t, host) => {
  const server = await start(t, host)
  await server.login()
  await server.post('/redfish/v1/EventService/Subscriptions/', { Destination: 'https://127.0.0.1:9/' })
  await server.post('/redfish/v1/Managers/1/LicenseService/', { LicenseKey: licenseKey() })

  t.test('all members that the baseline profiles require are present', async (t) => {
    for (const [path, properties] of Object.entries(mandatory)) {
      const { status, json } = await server.get(`/redfish/v1/${path.replace('{}', '')}`)
      t.equal(status, 200, path)
      const body = path.endsWith('{}') ? (await server.get(json.Members[0]['@odata.id'])).json : json
      for (const property of properties) t.not(part(body, property), undefined, `${path} ${property}`)
    }
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
  const names = path.match(/#\w+\.\w+|\w*@[\w.]+|[^.]+/g) ?? []
  return names.reduce((at, name) => at?.[name], body)
}
