import t from 'tap'
import type { PortWish } from '#data/ethernet'
import type { PortSettings } from '#hal/ports.ts'
import { simPort } from '#hal/sim/ports.ts'
import {
  GET,
  PATCH,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/EthernetInterfaces/{EthernetInterfaceId}.ts'
import { MessageError } from '#runtime/contract'
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
  ]) {
    t.same(await refusal(() => GET(context({ params }))), missing)
    t.same(await refusal(() => PATCH(context({ params, body: {} }))), missing)
  }
})

const present: PortSettings = {
  enabled: true,
  mtu: 1500,
  vlan: { enabled: false, id: 1, priority: 0 },
  ipv4: [{ address: '192.0.2.16', subnetMask: '255.255.255.0' }],
  gateway: '192.0.2.1',
  dhcpv4: { enabled: false, useDns: true, useDomain: true, useGateway: true, useNtp: true },
  ipv6: [{ address: '2001:db8::16', prefixLength: 64 }],
  ipv6Gateway: null,
  dhcpv6: { enabled: false, useDns: true, useDomain: true, useNtp: true },
  slaac: true,
  nameServers: ['192.0.2.53', '2001:db8::53']
}
const tables = { portSettings: { '1/1': present } }
const patch = (body: object, more: object = {}) =>
  PATCH(context<keyof typeof params, PortWish>({ params, tables, body: body as PortWish, ...more }))
/** The settings that a change leaves, without those that are as before. */
const after = async (body: object) => {
  const { writes, commands } = await patch(body)
  const settings = Object.entries(writes?.portSettings?.['1/1'] ?? {})
  const isNew = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(present[name as keyof PortSettings])
  return { settings: Object.fromEntries(settings.filter(isNew)), commands }
}
const configure = [{ kind: 'configurePorts', manager: '1', ethernetInterface: '1' }]

t.test('a port shows how it is set up: as clients said, else as the machine has it', async (t) => {
  t.match(GET(context({ params, tables })), {
    DHCPv4: { DHCPEnabled: false, UseNTPServers: true },
    DHCPv6: { OperatingMode: 'Disabled', UseDNSServers: true, UseDomainName: true, UseNTPServers: true },
    IPv4StaticAddresses: [{ Address: '192.0.2.16', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }],
    IPv6StaticAddresses: [{ Address: '2001:db8::16', PrefixLength: 64 }],
    IPv6StaticDefaultGateways: [],
    MTUSize: 1500,
    StatelessAddressAutoConfig: { IPv6AutoConfigEnabled: true },
    StaticNameServers: ['192.0.2.53', '2001:db8::53'],
    VLAN: { VLANEnable: false, VLANId: 1 },
    Oem: { Vendor: { RollbackTime: null } }
  })
  t.match(GET(context({ params })), { IPv4StaticAddresses: [], InterfaceEnabled: true })
  const trial = { ...tables, portTrial: { '1/1': { before: present, seconds: 60 } } }
  t.match(GET(context({ params, tables: trial })), { Oem: { Vendor: { RollbackTime: 60 } } })
})

t.test('settings from before there was DHCPv6 leave it as the machine has it', async (t) => {
  const { dhcpv6: _, ...older } = present
  const tables = { portSettings: { '1/1': older } }
  t.match(GET(context({ params, tables })), { DHCPv6: { OperatingMode: 'Disabled' }, MTUSize: 1500 })
  const { writes } = await patch({ MTUSize: 1400 }, { tables })
  t.same(writes?.portSettings?.['1/1'], { mtu: 1400 }, 'what is not changed is not stored')
})

t.test('the properties in a PATCH are changed, and the port is configured', async (t) => {
  const Address = '198.51.100.7'
  const way = { SubnetMask: '255.255.255.128', Gateway: '198.51.100.1' }
  t.same(await after({ IPv4StaticAddresses: [{ Address, ...way }] }), {
    settings: { ipv4: [{ address: Address, subnetMask: way.SubnetMask }], gateway: way.Gateway },
    commands: configure
  })
  const more = { Address, SubnetMask: '255.255.255.255' }
  t.same((await after({ IPv4StaticAddresses: [{}, more] })).settings, {
    ipv4: [...present.ipv4, { address: Address, subnetMask: '255.255.255.255' }]
  })
  t.same((await after({ IPv4StaticAddresses: [null] })).settings, { ipv4: [], gateway: null })
  const DHCPv4 = { DHCPEnabled: true, UseDNSServers: false }
  t.same((await after({ DHCPv4 })).settings, { dhcpv4: { ...present.dhcpv4, enabled: true, useDns: false } })
  const DHCPv6 = { OperatingMode: 'Stateless', UseDomainName: false }
  t.same((await after({ DHCPv6 })).settings, { dhcpv6: { ...present.dhcpv6, enabled: true, useDomain: false } })
  const ipv6 = {
    IPv6StaticAddresses: [{}, { Address: '2001:0DB8:0::0:17', PrefixLength: 48 }],
    IPv6StaticDefaultGateways: [{ Address: 'FE80::1' }],
    StatelessAddressAutoConfig: { IPv6AutoConfigEnabled: false }
  }
  t.same((await after(ipv6)).settings, {
    ipv6: [...present.ipv6, { address: '2001:db8::17', prefixLength: 48 }],
    ipv6Gateway: 'fe80::1',
    slaac: false
  })
  const link = { InterfaceEnabled: false, MTUSize: 9000, VLAN: { VLANEnable: true, VLANId: 12 } }
  t.same((await after(link)).settings, { enabled: false, mtu: 9000, vlan: { enabled: true, id: 12, priority: 0 } })
  t.same((await after({ StaticNameServers: [null, {}, '192.0.2.54', ''] })).settings, {
    nameServers: ['2001:db8::53', '192.0.2.54']
  })
})

t.test('a PATCH with the present values writes nothing', async (t) => {
  t.same((await patch({ MTUSize: 1500, HostName: 'mc-sim2510a7k' })).writes, {})
})

t.test('values that cannot be are refused, each with its message and its path', async (t) => {
  const four = (Address: string, SubnetMask = '255.255.255.0', Gateway?: string) => ({
    IPv4StaticAddresses: [{ Address, SubnetMask, ...(Gateway && { Gateway }) }]
  })
  const six = (Address: string) => ({ IPv6StaticAddresses: [{ Address, PrefixLength: 64 }] })
  const [at, mask, way] = ['Address', 'SubnetMask', 'Gateway'].map((name) => `#/IPv4StaticAddresses/0/${name}`)
  const at6 = '#/IPv6StaticAddresses/0/Address'
  for (const [body, key, path] of [
    [four('256.0.2.1'), 'PropertyValueFormatError', at],
    [four('127.0.0.2'), 'PropertyValueIncorrect', at],
    [four('224.0.0.5'), 'PropertyValueIncorrect', at],
    [four('0.0.0.0'), 'PropertyValueIncorrect', at],
    [four('192.0.2.0'), 'PropertyValueIncorrect', at],
    [four('192.0.2.255'), 'PropertyValueIncorrect', at],
    [four('192.0.2.9', '255.0.255.0'), 'PropertyValueIncorrect', mask],
    [four('192.0.2.9', '0.0.0.0'), 'PropertyValueIncorrect', mask],
    [four('192.0.2.9', '255.255.255.0', '192.0.3.1'), 'PropertyValueIncorrect', way],
    [four('192.0.2.9', '255.255.255.0', '192.0.2.9'), 'PropertyValueIncorrect', way],
    [{ IPv4StaticAddresses: [{ Address: '192.0.2.9' }] }, 'PropertyMissing', mask],
    [{ IPv4StaticAddresses: [{ SubnetMask: '255.255.255.0' }] }, 'PropertyMissing', at],
    [
      { IPv4StaticAddresses: [{}, { Address: '192.0.2.16', SubnetMask: '255.255.0.0' }] },
      'PropertyValueConflict',
      '#/IPv4StaticAddresses/1/Address'
    ],
    [
      { IPv4StaticAddresses: [{}, { Address: '192.0.2.17', SubnetMask: '255.255.0.0', Gateway: '192.0.2.2' }] },
      'PropertyValueConflict',
      '#/IPv4StaticAddresses/1/Gateway'
    ],
    [six('2001:db8::1::2'), 'PropertyValueFormatError', at6],
    [six('192.0.2.9'), 'PropertyValueFormatError', at6],
    [six('::1'), 'PropertyValueIncorrect', at6],
    [six('::ffff:192.0.2.9'), 'PropertyValueIncorrect', at6],
    [six('ff02::1'), 'PropertyValueIncorrect', at6],
    [{ IPv6StaticAddresses: [{ Address: '2001:db8::1' }] }, 'PropertyMissing', '#/IPv6StaticAddresses/0/PrefixLength'],
    [
      { IPv6StaticDefaultGateways: [{ Address: '::' }] },
      'PropertyValueIncorrect',
      '#/IPv6StaticDefaultGateways/0/Address'
    ],
    [{ StaticNameServers: ['time'] }, 'PropertyValueFormatError', '#/StaticNameServers/0'],
    [{ StaticNameServers: ['127.0.0.53'] }, 'PropertyValueIncorrect', '#/StaticNameServers/0'],
    [{ MTUSize: null }, 'PropertyValueTypeError', '#/MTUSize'],
    [{ DHCPv6: { OperatingMode: null } }, 'PropertyValueTypeError', '#/DHCPv6/OperatingMode'],
    [{ HostName: null }, 'PropertyValueTypeError', '#/HostName'],
    [{ HostName: 'one', FQDN: 'other.example' }, 'PropertyValueConflict', '#/HostName']
  ] as const) {
    const error = await faultOf(() => patch(body))
    t.same([error.status, error.messages.length, error.messages[0]?.key], [400, 1, `Base.${key}`], JSON.stringify(body))
    t.same(error.messages[0]?.related, [path], JSON.stringify(body))
  }
})

t.test('a change of the address that the client uses is on trial, others on request', async (t) => {
  const { settings = present, ...state } = simPort().state
  const port = { ...state, settings, ipv4: present.ipv4, ipv6: present.ipv6 }
  const trial = async (body: object, localAddress?: string, more: object = {}) =>
    (await patch(body, { port, ...(localAddress && { localAddress }), ...more })).writes?.portTrial
  const DHCPv4 = { DHCPEnabled: true }
  const { dhcpv4, mtu } = present
  const tried = { '1/1': { before: { dhcpv4 }, seconds: 60 } }
  t.same(await trial({ DHCPv4 }, '192.0.2.16'), tried)
  t.same(await trial({ DHCPv4 }, '::ffff:192.0.2.16'), tried, 'to a listener of both families')
  t.equal(await trial({ DHCPv4 }, '2001:db8::16'), undefined, 'it came over the other family')
  t.equal(await trial({ DHCPv4 }, '198.51.100.1'), undefined, 'it came over another port')
  t.equal(await trial({ DHCPv4 }), undefined)
  t.equal(await trial({ StaticNameServers: [] }, '192.0.2.16'), undefined, 'no address changes')
  t.same(await trial({ MTUSize: 1400 }, '2001:db8::16'), { '1/1': { before: { mtu }, seconds: 60 } })
  const Oem = (RollbackTime: number) => ({ Oem: { Vendor: { RollbackTime } } })
  t.same(await trial({ DHCPv4, ...Oem(5) }), { '1/1': { before: { dhcpv4 }, seconds: 5 } })
  t.same(await trial({ DHCPv4, ...Oem(0) }, '192.0.2.16'), { '1/1': null })
  t.same(await trial(Oem(0)), { '1/1': null }, 'also of a change from before')
  const second = { tables: { ...tables, portTrial: { '1/1': { before: { mtu: 1300 }, seconds: 60 } } } }
  const both = { '1/1': { before: { dhcpv4, mtu: 1300 }, seconds: 60 } }
  t.same(await trial({ DHCPv4, MTUSize: 1400 }, '192.0.2.16', second), both, 'back to before both')
})

t.test('a host name belongs to the controller, and is set on all of its ports', async (t) => {
  const { writes, commands } = await patch({ FQDN: 'bmc-7.rack.example' })
  t.same(writes, { hostNames: { 1: { hostName: 'bmc-7', domain: 'rack.example' } } })
  t.same(commands, [{ kind: 'configurePorts', manager: '1' }])
  t.same((await patch({ HostName: 'bmc-8' })).writes, {
    hostNames: { 1: { hostName: 'bmc-8', domain: 'example.net' } }
  })
  const named = { ...tables, hostNames: { 1: { hostName: 'bmc-7', domain: '' } } }
  t.match(GET(context({ params, tables: named })), { HostName: 'bmc-7', FQDN: 'bmc-7' })
})

t.test('what a machine cannot set is absent, and refused', async (t) => {
  const { mtu: _, vlan: __, ...less } = present
  const settings: PortSettings = { ...less, dhcpv4: { enabled: true }, dhcpv6: { enabled: true, addresses: true } }
  const of = (settings: PortSettings) => ({ tables: {}, port: { ...simPort().state, settings } })
  const shown = GET(context({ params, ...of(settings) }))
  t.same([shown.MTUSize, shown.VLAN], [undefined, undefined])
  t.same([shown.DHCPv4, shown.DHCPv6], [{ DHCPEnabled: true }, { OperatingMode: 'Enabled' }])
  for (const [body, key, path] of [
    [{ MTUSize: 1400 }, 'PropertyUnknown', '#/MTUSize'],
    [{ VLAN: { VLANEnable: true } }, 'PropertyUnknown', '#/VLAN'],
    [{ DHCPv4: { UseGateway: true } }, 'PropertyUnknown', '#/DHCPv4/UseGateway'],
    [{ DHCPv4: { UseDNSServers: true } }, 'PropertyUnknown', '#/DHCPv4/UseDNSServers'],
    [{ DHCPv6: { UseNTPServers: true } }, 'PropertyUnknown', '#/DHCPv6/UseNTPServers'],
    [{ DHCPv6: { OperatingMode: 'Stateless' } }, 'PropertyValueIncorrect', '#/DHCPv6/OperatingMode']
  ] as const) {
    const error = await faultOf(() => patch(body, of(settings)))
    t.same([error.status, error.messages.map(({ key }) => key)], [400, [`Base.${key}`]], JSON.stringify(body))
    t.same(error.messages[0]?.related, [path], JSON.stringify(body))
  }
  const vlan = of({ ...settings, vlan: { enabled: true, id: 10, fixed: true } })
  t.same(GET(context({ params, ...vlan })).VLAN, { VLANEnable: true, VLANId: 10 })
  const error = await faultOf(() => patch({ VLAN: { VLANId: 11 } }, vlan))
  t.same([error.status, error.messages.map(({ key }) => key)], [400, ['Base.PropertyNotWritable']])
  const { writes } = await patch({ DHCPv6: { OperatingMode: 'Disabled' } }, of(settings))
  t.match(writes?.portSettings?.['1/1'], { dhcpv6: { enabled: false, addresses: true } })
  t.match(await faultOf(() => patch({ DHCPv6: { OperatingMode: 'Enabled' } })), { status: 400 })
})

t.test('a port that can only be looked at is not set up', async (t) => {
  const { settings: _, ...port } = simPort().state
  t.equal(GET(context({ params, port })).DHCPv4, undefined)
  t.match(await refusal(() => patch({ MTUSize: 1400 }, { port })), { status: 409 })
})

t.test('reading takes LoginPriv, writing MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})

async function faultOf(work: () => unknown): Promise<MessageError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof MessageError) return error
    throw error
  }
  throw new Error('it was not refused')
}
