// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { PortSettings } from '#hal/ports.ts'
import { shared } from '#test/hal/contracts/port.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { until } from '#test/hal/until.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const devices = openbmcDevices()
const eth0 = '/xyz/openbmc_project/network/eth0'

async function opened(t: Test, device?: string) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const open = (device?: string) => {
    const port = devices.port({ name: 'port-1-1', device, socket: bus.socket, warn: () => undefined })
    t.teardown(() => port.close())
    const is = (condition: () => boolean) => until((look) => port.on(look), condition)
    const settings = () => port.state.settings as PortSettings
    const configure = (change: Partial<PortSettings>) => port.configure({ ...settings(), ...change }, shared)
    return { port, is, settings, configure }
  }
  const first = open(device)
  await first.is(() => first.port.state.settings !== undefined)
  const get = (property: string, path = eth0) => daemons.get(path, 'Network.EthernetInterface', property)
  const set = (property: string, value: Parameters<typeof daemons.set>[3]) =>
    daemons.set(eth0, 'Network.EthernetInterface', property, value)
  return { daemons, bus, open, get, set, ...first }
}

t.test('a port is as the network manager says', async (t) => {
  const { port } = await opened(t)
  t.strictSame(port.state, {
    mac: '02:00:00:00:00:01',
    linkUp: true,
    speed: 1000,
    fullDuplex: true,
    ipv4: [{ address: '192.0.2.10', subnetMask: '255.255.255.0', gateway: '192.0.2.1', origin: 'DHCP' }],
    ipv6: [{ address: 'fe80::ff:fe00:1', prefixLength: 64, origin: 'LinkLocal' }],
    nameServers: ['192.0.2.53'],
    ntpServers: [],
    settings: {
      enabled: true,
      mtu: 1500,
      ipv4: [],
      gateway: null,
      dhcpv4: { enabled: true, useDns: true, useDomain: true, useNtp: true },
      ipv6: [],
      ipv6Gateway: null,
      dhcpv6: { enabled: false, useDns: true, useDomain: true, useNtp: true, addresses: true },
      slaac: false,
      nameServers: []
    }
  })
})

t.test('it is set up as asked, and shows that when it is done', async (t) => {
  const { daemons, port, get, settings, configure } = await opened(t)
  const wanted: PortSettings = {
    ...settings(),
    enabled: false,
    mtu: 1400,
    ipv4: [
      { address: '198.51.100.9', subnetMask: '255.255.255.0' },
      { address: '203.0.113.9', subnetMask: '255.255.254.0' }
    ],
    gateway: '198.51.100.1',
    dhcpv4: { enabled: false, useDns: false, useDomain: true, useNtp: false },
    ipv6: [{ address: '2001:db8::9', prefixLength: 64 }],
    ipv6Gateway: '2001:db8::1',
    dhcpv6: { enabled: true, useDns: true, useDomain: false, useNtp: true, addresses: true },
    slaac: true,
    nameServers: ['192.0.2.54', '2001:db8::54']
  }
  await port.configure(wanted, shared)
  t.strictSame(port.state.settings, wanted)
  t.same(
    [await get('DHCPEnabled'), await get('MTU'), await get('DefaultGateway6'), await get('StaticNameServers')],
    ['v6', 1400, '2001:db8::1', ['192.0.2.54', '2001:db8::54']]
  )
  t.equal(await daemons.get(`${eth0}/dhcp4`, 'Network.DHCPConfiguration', 'NTPEnabled'), 0)
  t.equal(await daemons.get(`${eth0}/dhcp6`, 'Network.DHCPConfiguration', 'DomainEnabled'), 0)
  const [first, , ...others] = wanted.ipv4
  await configure({ ipv4: first ? [{ ...first, subnetMask: '255.255.0.0' }, ...others] : [], ipv6: [], gateway: null })
  t.match(port.state, {
    ipv4: [{ address: '192.0.2.10' }, { address: '198.51.100.9', subnetMask: '255.255.0.0', origin: 'Static' }],
    settings: { ipv4: [{ address: '198.51.100.9', subnetMask: '255.255.0.0' }], ipv6: [], gateway: null }
  })
})

t.test('what other programs change is heard', async (t) => {
  const { daemons, port, is, settings, set } = await opened(t)
  const path = `${eth0}/_31`
  const content = { Address: '2001:DB8:0::7', PrefixLength: 64, Origin: 'Static', Type: 'IPv6' }
  await daemons.add('Network', path, { 'Network.IP': content })
  await is(() => settings().ipv6[0]?.address === '2001:db8::7')
  await daemons.remove(path, 'Network.IP')
  await is(() => settings().ipv6.length === 0)
  await set('LinkUp', false)
  await is(() => !port.state.linkUp)
  t.match(port.state, { speed: undefined, fullDuplex: undefined })
  await set('StaticNameServers', ['192.0.2.55', 'no address'])
  await is(() => settings().nameServers[0] === '192.0.2.55')
  t.same(port.state.nameServers, ['192.0.2.55', '192.0.2.53'])
  await set('NTPServers', ['ntp.example'])
  await is(() => port.state.ntpServers?.[0] === 'ntp.example')
})

t.test('the port of a VLAN has its id, and what the bus does not have is absent', async (t) => {
  const { daemons, open } = await opened(t)
  await daemons.add('Network', '/xyz/openbmc_project/network/eth0_10', {
    'Network.EthernetInterface': { DHCPEnabled: 'v4v6stateless' },
    'Network.VLAN': { Id: 10 }
  })
  const { settings, is, port } = open('eth0.10')
  await is(() => port.state.settings !== undefined)
  t.same(settings().vlan, { enabled: true, id: 10, fixed: true })
  t.same([settings().dhcpv4, settings().dhcpv6], [{ enabled: false }, { enabled: false, addresses: true }])
})

t.test('values of another type are left out', async (t) => {
  const { daemons, port, settings, is } = await opened(t)
  const mistype = (property: string, signature: string, value: Parameters<typeof daemons.set>[3]) =>
    daemons.mistype(eth0, 'Network.EthernetInterface', property, signature, value)
  await mistype('MTU', 's', 'large')
  await mistype('Speed', 'd', 1.5)
  await mistype('StaticNameServers', 's', '192.0.2.53')
  await mistype('DefaultGateway', 'u', 7)
  await mistype('DHCP4', 's', 'yes')
  await is(() => !settings().dhcpv4.enabled)
  t.match(port.state, { linkUp: true, speed: undefined, settings: { nameServers: [], gateway: null } })
  t.equal(settings().mtu, undefined)
})

t.test('without the network manager it is as it was last, and cannot be set up', async (t) => {
  const { daemons, port, is, settings, configure } = await opened(t)
  const present = settings()
  await daemons.kill('Network')
  await is(() => port.state.settings === undefined)
  t.match(port.state, { mac: '02:00:00:00:00:01', ipv4: [{ address: '192.0.2.10' }] })
  await t.rejects(port.configure({ ...present, mtu: 1400 }, shared), {
    code: 'ENODEV',
    message: 'port-1-1: the bus has no interface eth0'
  })
  await daemons.start('Network')
  await is(() => port.state.settings !== undefined)
  await configure({ mtu: 1400 })
  t.equal(settings().mtu, 1400)
})

t.test('what the network manager refuses is a failure, and what it accepted before stays', async (t) => {
  const { daemons, settings, configure } = await opened(t)
  const refusal = { code: 'EINVAL' }
  await t.rejects(configure({ mtu: 1400, ipv4: [{ address: '198.51.100.9', subnetMask: '0.0.0.0' }] }), refusal)
  t.match(settings(), { mtu: 1400, ipv4: [] })
  await daemons.fail(eth0, 'Network.EthernetInterface', 'MTU', 'Common.Error.InternalFailure')
  await t.rejects(configure({ mtu: 1300 }), { code: 'EIO' })
  await daemons.silence('Network')
  const failed = configure({ mtu: 1300 }).catch((error) => error.code)
  await daemons.kill('Network')
  t.equal(await failed, 'ENODEV', 'it ends during the call')
})
