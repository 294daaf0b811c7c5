import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/EthernetInterfaces/{EthernetInterfaceId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', EthernetInterfaceId: '1' }

t.test('a port of the controller has its addresses and the name of the controller', async (t) => {
  const port = {
    mac: '8C:12:C2:0A:41:50',
    linkUp: true,
    speed: 100,
    fullDuplex: false,
    ipv4: [
      { address: '192.0.2.16', subnetMask: '255.255.255.0', gateway: '192.0.2.1', origin: 'DHCP' },
      { address: '198.51.100.7', subnetMask: '255.255.0.0' }
    ],
    ipv6: [{ address: 'fe80::1', prefixLength: 64, origin: 'LinkLocal', state: 'Tentative' }],
    nameServers: ['192.0.2.53']
  } as const
  t.match(GET(context({ params, port })), {
    FQDN: 'mc-sim2510a7k.example.net',
    HostName: 'mc-sim2510a7k',
    FullDuplex: false,
    IPv4Addresses: [
      { Address: '192.0.2.16', AddressOrigin: 'DHCP', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' },
      { Address: '198.51.100.7', AddressOrigin: undefined, SubnetMask: '255.255.0.0', Gateway: null }
    ],
    IPv6Addresses: [{ Address: 'fe80::1', AddressOrigin: 'LinkLocal', AddressState: 'Tentative', PrefixLength: 64 }],
    NameServers: ['192.0.2.53'],
    LinkStatus: 'LinkUp',
    MACAddress: '8C:12:C2:0A:41:50',
    SpeedMbps: 100
  })
})

t.test('without a link it has no speed', async (t) => {
  const port = { mac: '', linkUp: false, speed: undefined, fullDuplex: undefined, ipv4: [], ipv6: [] }
  t.match(GET(context({ params, port })), { LinkStatus: 'LinkDown', SpeedMbps: null, FullDuplex: null })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ManagerId: '1', EthernetInterfaceId: '2' },
    { ManagerId: '2', EthernetInterfaceId: '1' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
