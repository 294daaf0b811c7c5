import t, { type Test } from 'tap'
import { mockups, writeResources } from './mockups.ts'
import { recorded } from './recorded.ts'
import { serve, until } from './served.ts'

// biome-ignore lint/suspicious/noExplicitAny: machines are what makers serve
type Body = Record<string, any>

const system = '/redfish/v1/Systems/System.Embedded.1'
const chassis = '/redfish/v1/Chassis/System.Embedded.1'
const manager = '/redfish/v1/Managers/CMC.Embedded.1'
const root = '/redfish/v1'

const link = (uri: string) => ({ '@odata.id': uri })

/** Resources with their ids and types. */
const typed = (of: Readonly<Record<string, readonly [type: string, Body]>>) =>
  Object.fromEntries(
    Object.entries(of).map(([path, [type, body]]): [string, Body] => {
      const Id = path.slice(path.lastIndexOf('/') + 1)
      return [path, { '@odata.id': path, '@odata.type': `#${type}.${type.split('.')[0]}`, Id, Name: Id, ...body }]
    })
  )

const contoso = mockups.contoso!

/** A machine whose maker, or whose owner, has set everything that Minnow keeps itself to something else. */
const machine: Record<string, Body> = {
  ...contoso,
  [root]: {
    ...contoso[root],
    UUID: '0b4e8f6a-53c5-4b6c-9d5c-1f6a7c1a0b99',
    ...Object.fromEntries(
      ['EventService', 'UpdateService', 'TelemetryService', 'CertificateService'].map((each) => [
        each,
        link(`${root}/${each}`)
      ])
    ),
    Tasks: link(`${root}/TaskService`)
  },
  [system]: {
    ...contoso[system],
    AssetTag: null,
    IndicatorLED: 'Blinking',
    LocationIndicatorActive: true,
    PowerState: 'On',
    Status: { State: 'Enabled', Health: 'Warning', HealthRollup: 'Critical' },
    BootProgress: { LastState: 'OSRunning', OemLastState: null },
    HostWatchdogTimer: { FunctionEnabled: false, TimeoutAction: 'PowerCycle' },
    PowerRestorePolicy: 'LastState',
    SerialConsole: { MaxConcurrentSessions: 7, SSH: { ServiceEnabled: true, Port: 2200 } },
    Boot: {
      ...contoso[system]!.Boot,
      AutomaticRetryAttempts: 4,
      AutomaticRetryConfig: 'RetryAlways',
      BootOrder: ['Boot0007', 'Boot0003'],
      BootSourceOverrideEnabled: 'Continuous',
      BootSourceOverrideMode: 'Legacy',
      BootSourceOverrideTarget: 'Pxe',
      'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe', 'Floppy'],
      HttpBootUri: 'http://boot.example/image.efi',
      StopBootOnFault: 'AnyFault',
      UefiTargetBootSourceOverride: 'PciRoot(0x0)/Pci(0x1,0x0)'
    }
  },
  ...typed({
    [`${system}/BootOptions/HardDisk`]: [
      'BootOption.v1_0_4',
      {
        BootOptionReference: 'Boot0007',
        DisplayName: 'Disk',
        UefiDevicePath: 'PciRoot(0x0)/Pci(0x1,0x0)',
        Alias: 'Hdd'
      }
    ]
  }),
  [`${system}/BootOptions`]: {
    ...contoso[`${system}/BootOptions`],
    Members: [...contoso[`${system}/BootOptions`]!.Members, link(`${system}/BootOptions/HardDisk`)],
    'Members@odata.count': 2
  },
  [chassis]: { ...contoso[chassis], AssetTag: null, IndicatorLED: 'Blinking', LocationIndicatorActive: true },
  [manager]: {
    ...contoso[manager],
    UUID: null,
    DateTimeLocalOffset: '+02:00',
    NetworkProtocol: link(`${manager}/NetworkProtocol`)
  },
  ...typed({
    [`${manager}/NetworkProtocol`]: [
      'ManagerNetworkProtocol.v1_8_0',
      {
        HostName: 'cmc-b7',
        FQDN: 'cmc-b7.lab.example',
        HTTP: { Port: 8080, ProtocolEnabled: true },
        HTTPS: { Port: 8443, ProtocolEnabled: true },
        IPMI: { Port: 623, ProtocolEnabled: true },
        NTP: { NTPServers: ['time1.example', 'time2.example', ''], ProtocolEnabled: true },
        SSDP: { Port: 1901, ProtocolEnabled: true, NotifyTTL: 5 }
      }
    ],
    [`${manager}/EthernetInterfaces/NIC.1`]: [
      'EthernetInterface.v1_8_0',
      {
        AutoNeg: true,
        DHCPv4: { DHCPEnabled: false, UseDNSServers: false },
        DHCPv6: { OperatingMode: 'Disabled' },
        HostName: 'cmc-b7',
        FQDN: 'cmc-b7.lab.example',
        InterfaceEnabled: true,
        IPv4Addresses: [
          { Address: '198.51.100.7', SubnetMask: '255.255.254.0', AddressOrigin: 'Static', Gateway: '198.51.100.1' }
        ],
        IPv4StaticAddresses: [{ Address: '198.51.100.7', SubnetMask: '255.255.254.0', Gateway: '198.51.100.1' }],
        IPv6Addresses: [{ Address: 'fe80::1', PrefixLength: 64, AddressOrigin: 'LinkLocal', AddressState: null }],
        IPv6DefaultGateway: '::',
        LinkStatus: 'LinkUp',
        MACAddress: '3C:EC:EF:0A:1B:2C',
        MTUSize: 1400,
        NameServers: ['198.51.100.53', '::'],
        PermanentMACAddress: '3C:EC:EF:0A:1B:2C',
        SpeedMbps: 100,
        StaticNameServers: ['198.51.100.53'],
        VLAN: { VLANEnable: true, VLANId: 12 }
      }
    ],
    [`${manager}/VirtualMedia/CD`]: [
      'VirtualMedia.v1_4_0',
      {
        ConnectedVia: 'NotConnected',
        Image: null,
        ImageName: null,
        Inserted: false,
        MediaTypes: ['CD', 'DVD', 'USBStick'],
        WriteProtected: true
      }
    ],
    [`${root}/AccountService`]: [
      'AccountService.v1_12_0',
      {
        AccountLockoutCounterResetAfter: 100,
        AccountLockoutDuration: 200,
        AccountLockoutThreshold: 2,
        Accounts: link(`${root}/AccountService/Accounts`),
        AuthFailureLoggingThreshold: 2,
        HTTPBasicAuth: 'Unadvertised',
        LDAP: { ServiceEnabled: true, ServiceAddresses: ['ldap.example'], AccountProviderType: 'LDAPService' },
        LocalAccountAuth: 'Fallback',
        MaxPasswordLength: 40,
        MinPasswordLength: 5,
        PasswordExpirationDays: 90,
        ServiceEnabled: null,
        SupportedAccountTypes: ['Redfish', 'SNMP', 'OEM']
      }
    ],
    [`${root}/SessionService`]: [
      'SessionService.v1_1_8',
      { ServiceEnabled: true, SessionTimeout: 1234, Sessions: link(`${root}/SessionService/Sessions`) }
    ],
    [`${root}/EventService`]: [
      'EventService.v1_7_0',
      {
        DeliveryRetryAttempts: 9,
        DeliveryRetryIntervalSeconds: 17,
        EventFormatTypes: ['Event'],
        EventTypesForSubscription: ['Alert'],
        RegistryPrefixes: ['Contoso'],
        ServiceEnabled: false,
        Status: { State: 'Disabled', Health: 'OK' },
        Subscriptions: link(`${root}/EventService/Subscriptions`)
      }
    ],
    [`${root}/UpdateService`]: [
      'UpdateService.v1_11_0',
      { HttpPushUriTargets: [], MaxImageSizeBytes: 12345, ServiceEnabled: null, VerifyRemoteServerCertificate: null }
    ],
    [`${root}/TaskService`]: [
      'TaskService.v1_2_0',
      { CompletedTaskOverWritePolicy: 'Manual', LifeCycleEventOnTaskStateChange: false, ServiceEnabled: null }
    ],
    [`${root}/TelemetryService`]: [
      'TelemetryService.v1_3_0',
      { MaxReports: 24, MinCollectionInterval: 'PT1M', SupportedCollectionFunctions: ['Maximum'] }
    ],
    [`${root}/CertificateService`]: ['CertificateService.v1_0_4', { Oem: { Contoso: { Strict: true } } }]
  }),
  [`${manager}/LogServices/Lclog`]: {
    ...contoso[`${manager}/LogServices/Lclog`],
    MaxNumberOfRecords: 500_000,
    OverWritePolicy: 'WrapsWhenFull',
    ServiceEnabled: false
  }
}

/** Where a served value is not the recorded one. */
function differing(recorded: unknown, served: unknown, at = ''): string[] {
  if (JSON.stringify(recorded) === JSON.stringify(served)) return []
  const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isPlain(recorded) || !isPlain(served)) return [at]
  return Object.entries(recorded as Body).flatMap(([name, each]) =>
    differing(each, (served as Body)[name], `${at}/${name}`)
  )
}

const woodgrove = async (t: Test) => {
  const { file } = recorded(writeResources(t.testdir(), machine))
  return { ...(await serve(t, file)), file }
}

/** Expected differences: added accounts, sessions, startup events and resources of Minnow. */
const grows = /(\/Members|@odata.count|\/Sessions\/@odata.id)$/

t.test('the first values of all live resources are the recorded ones', async (t) => {
  const { ask, file } = await woodgrove(t)
  const found: string[] = []
  for (const [path, resource] of Object.entries(file.resources)) {
    const { status, json } = await ask('GET', path)
    if (status === 200) found.push(...differing(resource, json).map((each) => `${path}${each}`))
    else if (!/^\/redfish\/v1\/Registries\/.*json$/.test(path)) found.push(`${path}: ${status}`)
  }
  t.strictSame(
    found.filter((each) => !grows.test(each)),
    []
  )
})

t.test('a client changes what was recorded, and nothing else changes with it', async (t) => {
  const { ask, file, restart } = await woodgrove(t)
  for (const [path, change] of [
    [system, { AssetTag: 'b7', Boot: { BootOrder: ['Boot0003', 'Boot0007'], BootSourceOverrideMode: 'UEFI' } }],
    [system, { Boot: { BootSourceOverrideMode: 'Legacy' } }],
    [system, { HostWatchdogTimer: { FunctionEnabled: true } }],
    [chassis, { AssetTag: 'b8' }],
    [manager, { DateTimeLocalOffset: '-03:30' }],
    [`${manager}/NetworkProtocol`, { NTP: { NTPServers: ['time3.example', null, null] } }],
    [`${manager}/NetworkProtocol`, { SSDP: { NotifyTTL: 9 } }],
    [`${root}/AccountService`, { AccountLockoutDuration: 400, HTTPBasicAuth: 'Enabled' }],
    [`${root}/SessionService`, { SessionTimeout: 4321 }],
    [`${root}/EventService`, { ServiceEnabled: true }]
  ] as const) {
    const before = (await ask('GET', path)).json
    t.equal((await ask('PATCH', path, change)).status, 200, JSON.stringify(change))
    await restart()
    const after = (await ask('GET', path)).json
    const named = path === chassis ? [] : ['NTP/NTPServers', 'Status/State', '@odata.etag', 'DateTime']
    const changed = differing(before, after).filter((each) => !named.some((name) => each === `/${name}`))
    const wanted = differing(after, change).filter((each) => each.includes('Legacy'))
    t.strictSame(wanted, [], JSON.stringify(change))
    for (const each of changed)
      t.ok(
        each
          .slice(1)
          .split('/')
          .reduce((at: Body | undefined, name) => at?.[name], change) !== undefined || each === '/@odata.etag',
        `${path}${each}`
      )
    t.strictSame(
      differing(change, after).filter((each) => each !== '/NTP/NTPServers'),
      [],
      JSON.stringify(change)
    )
  }
  t.strictSame((await ask('GET', `${manager}/NetworkProtocol`)).json.NTP.NTPServers, ['time3.example'])
  t.equal(file.resources[system].AssetTag, null)
})

t.test('what was recorded of services, boot and lamps is in force', async (t) => {
  const { ask } = await woodgrove(t)
  t.equal((await ask('PATCH', chassis, { IndicatorLED: 'Lit' })).status, 200)
  t.match((await ask('GET', system)).json, { IndicatorLED: 'Lit', LocationIndicatorActive: true })
  const port = `${manager}/EthernetInterfaces/NIC.1`
  t.equal((await ask('PATCH', port, { MTUSize: 1300 })).status, 200)
  t.match((await ask('GET', port)).json, { IPv4StaticAddresses: [{ Address: String, SubnetMask: '255.255.254.0' }] })
  t.equal((await ask('POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: 'ForceOff' })).status, 200)
  await until(async () => (await ask('GET', system)).json.PowerState === 'Off')
  t.match((await ask('GET', system)).json, {
    BootProgress: { LastState: 'None' },
    Boot: { BootOrder: ['Boot0007', 'Boot0003'] }
  })
  const wrong = { authorization: `Basic ${btoa('admin:wrong')}` }
  for (let each = 0; each < 2; each++) await ask('GET', system, undefined, wrong)
  t.equal((await ask('GET', system)).status, 401, 'the second failure locks the account')
})
