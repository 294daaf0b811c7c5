import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { simPort } from '#hal/sim/ports.ts'
import { netdevPort } from '#hal/sysfs/ports.ts'
import { change, portContract, setUp, shared } from '#test/hal/contracts/port.ts'

const routes = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth9\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
lo\t0002000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
lo\t00000000\t0202000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
`

const addresses = `fe80000000000000505400fffe123456 02 40 20 80       lo
20010db8000000000001000000000001 02 40 00 20       lo
20010db8000000000000000000000007 02 40 00 40       lo
20010db8000000000000000000000008 02 40 00 48       lo
20010db8000000000000000000000000 02 80 00 80       lo
00000000000000000000000000000001 01 80 10 80     eth9
`

/** The files that the kernel has of a device; its IPv4 addresses are those of this machine's own loopback. */
function device(t: Test, files: Readonly<Record<string, string>> = {}) {
  const has = { address: '52:54:00:ab:cd:ef\n', carrier: '1\n', speed: '100\n', duplex: 'full\n', ...files }
  const resolver = '# made by hand\nnameserver 192.0.2.53\nsearch example.net\nnameserver fe80::1%eth0\n'
  const root = t.testdir({
    class: { lo: has, eth9: {} },
    net: { route: routes, if_inet6: addresses },
    'resolv.conf': resolver
  })
  const folder = `${root}/class`
  const write = (name: string, text: string) => writeFileSync(`${folder}/lo/${name}`, text)
  return {
    folder,
    write,
    options: {
      name: 'port-1-1',
      device: 'lo',
      folder,
      tables: `${root}/net`,
      resolver: `${root}/resolv.conf`,
      interval: 10
    }
  }
}

portContract(t, 'simulated port', async () => {
  const port = simPort()
  return { port, plug: (linkUp) => port.plug(linkUp) }
})

portContract(t, 'network device', async (t) => {
  const { options, write } = device(t)
  return { port: netdevPort(options), plug: (linkUp) => write('carrier', linkUp ? '1\n' : '0\n') }
})

t.test('a network device has the counters of the kernel, and the simulated port counts from zero', async (t) => {
  const { folder, options } = device(t)
  const port = netdevPort(options)
  t.teardown(() => port.close())
  t.equal(port.counters(), undefined, 'while they cannot be read')
  mkdirSync(`${folder}/lo/statistics`)
  const files = [
    'rx_bytes',
    'rx_packets',
    'rx_errors',
    'rx_dropped',
    'tx_bytes',
    'tx_packets',
    'tx_errors',
    'tx_dropped'
  ]
  for (const [at, file] of files.entries()) writeFileSync(`${folder}/lo/statistics/${file}`, `${at + 1}\n`)
  t.same(port.counters(), {
    ...{ receivedBytes: 1, receivedFrames: 2, receivedErrors: 3, receivedDiscards: 4 },
    ...{ sentBytes: 5, sentFrames: 6, sentErrors: 7, sentDiscards: 8 }
  })
  t.match(simPort().counters(), { receivedBytes: 0, sentBytes: 0, receivedErrors: 0 })
})

t.test('a network device has the addresses that the kernel gave it, and the gateway that leads over it', async (t) => {
  const port = netdevPort(device(t).options)
  t.strictSame(port.state, {
    mac: '52:54:00:AB:CD:EF',
    linkUp: true,
    speed: 100,
    fullDuplex: true,
    ipv4: [{ address: '127.0.0.1', subnetMask: '255.0.0.0', gateway: '10.0.2.2' }],
    ipv6: [
      { address: 'fe80::5054:ff:fe12:3456', prefixLength: 64, origin: 'LinkLocal', state: 'Preferred' },
      { address: '2001:db8::1:0:0:1', prefixLength: 64, origin: 'SLAAC', state: 'Deprecated' },
      { address: '2001:db8::7', prefixLength: 64, origin: 'SLAAC', state: 'Tentative' },
      { address: '2001:db8::8', prefixLength: 64, origin: 'SLAAC', state: 'Failed' },
      { address: '2001:db8::', prefixLength: 128, origin: 'Static', state: 'Preferred' }
    ],
    nameServers: ['192.0.2.53', 'fe80::1']
  })
  await port.close()
})

t.test('the gateway of IPv6 is the next hop of the default route of the device', async (t) => {
  const zeros = '0'.repeat(32)
  const route = (destination: string, length: string, hop: string, name: string) =>
    `${destination} ${length} ${zeros} 00 ${hop} 00000400 00000001 00000000 00000003 ${name}\n`
  const way = 'fe800000000000000000000000000001'
  for (const [title, line, expected] of [
    ['its own', route(zeros, '00', way, 'lo'), 'fe80::1'],
    ['of another device', route(zeros, '00', way, 'eth9'), undefined],
    ['to a network', route(`20010db8${'0'.repeat(24)}`, '00', way, 'lo'), undefined],
    ['of another length', route(zeros, '40', way, 'lo'), undefined],
    ['without a next hop', route(zeros, '00', zeros, 'lo'), undefined]
  ] as const) {
    const { options } = device(t)
    writeFileSync(`${options.tables}/ipv6_route`, line)
    const port = netdevPort(options)
    t.equal(port.state.ipv6Gateway, expected, title)
    await port.close()
  }
})

t.test('a link without a speed has null, and half duplex is reported', async (t) => {
  const port = netdevPort(device(t, { speed: '-1\n', duplex: 'half\n' }).options)
  t.match(port.state, { linkUp: true, speed: undefined, fullDuplex: false })
  await port.close()
})

t.test('a device that disappeared has no link and no address', async (t) => {
  const { options, folder } = device(t)
  const port = netdevPort(options)
  const told = change(port)
  rmSync(`${folder}/lo`, { recursive: true })
  await told
  t.match(port.state, { mac: '52:54:00:AB:CD:EF', linkUp: false, speed: undefined })
  t.strictSame([port.state.ipv4, port.state.ipv6], [[], []])
  await port.close()
})

t.test('without tables of routes and IPv6 addresses both lists are empty', async (t) => {
  const { options, folder } = device(t)
  mkdirSync(`${folder}/none`)
  const port = netdevPort({ ...options, tables: `${folder}/none` })
  t.match(port.state, { ipv4: [{ address: '127.0.0.1', gateway: undefined }], ipv6: [] })
  await port.close()
})

t.test("a simulated port with DHCP gets the addresses and names of its network's servers", async (t) => {
  const lease = { address: '192.0.2.77', subnetMask: '255.255.255.0', gateway: '192.0.2.1' }
  const servers = { nameServers: ['192.0.2.53'], ntpServers: ['192.0.2.123'] }
  const information = { nameServers: ['2001:db8::53'], ntpServers: ['2001:db8::123'] }
  const network = { prefix: '2001:db8:0:1', lease: { ...lease, ...servers }, information }
  const port = simPort({ mac: '02:00:00:00:00:01', ...network })
  const dhcpv4 = { ...setUp.dhcpv4, enabled: true }
  await port.configure({ ...setUp, dhcpv4, slaac: true, nameServers: ['192.0.2.2'] }, shared)
  t.match(port.state, {
    ipv4: [
      { address: '198.51.100.9', origin: 'Static' },
      { ...lease, origin: 'DHCP' }
    ],
    ipv6: [{ address: '2001:db8:0:1:0:ff:fe00:1', prefixLength: 64, origin: 'SLAAC', state: 'Preferred' }],
    ipv6Gateway: 'fe80::1',
    nameServers: ['192.0.2.2', '192.0.2.53'],
    ntpServers: ['192.0.2.123']
  })
  const dhcpv6 = { ...setUp.dhcpv6, enabled: true }
  await port.configure({ ...setUp, dhcpv6 }, shared)
  t.match(port.state, information)
  await port.configure({ ...setUp, dhcpv6: { ...dhcpv6, useDns: false } }, shared)
  t.match(port.state, { ...information, nameServers: [] })
  const unused = { ...dhcpv4, useDns: false, useGateway: false, useNtp: false }
  await port.configure({ ...setUp, dhcpv4: unused }, shared)
  t.match(port.state, { nameServers: [], ntpServers: [], ipv6: [], ipv6Gateway: undefined })
  t.equal(port.state.ipv4[1]?.gateway, undefined)
  await port.configure({ ...setUp, enabled: false, dhcpv4 }, shared)
  t.match(port.state, { linkUp: false, speed: undefined, ipv4: [], ipv6: [] })
  await port.close()
  await t.rejects(port.configure(setUp, shared), { code: 'ENODEV' })
})

t.test('a simulated port begins with the addresses of its options, and keeps those that are not static', async (t) => {
  const state = 'Preferred'
  const own = [
    { address: 'fe80::7', prefixLength: 64, origin: 'LinkLocal', state },
    { address: '2001:db8::7', prefixLength: 64, origin: 'SLAAC', state },
    { address: '2001:db8::8', prefixLength: 64, origin: 'Static', state }
  ] as const
  const port = simPort({
    ipv4: [{ address: '192.0.2.16', subnetMask: '255.255.255.0', gateway: '192.0.2.1' }],
    ipv6: own,
    nameServers: ['192.0.2.53']
  })
  t.teardown(() => port.close())
  const unused = { enabled: false, useDns: true, useDomain: true, useNtp: true }
  t.strictSame(port.state.settings, {
    ...{ enabled: true, mtu: 1500, vlan: { enabled: false, id: 1, priority: 0 } },
    ...{ ipv4: [{ address: '192.0.2.16', subnetMask: '255.255.255.0' }], gateway: '192.0.2.1' },
    ...{ dhcpv4: { ...unused, useGateway: true }, dhcpv6: unused, slaac: true, ipv6Gateway: null },
    ...{ ipv6: [{ address: '2001:db8::8', prefixLength: 64 }], nameServers: ['192.0.2.53'] }
  })
  const shown = () => port.state.ipv6.map(({ address, origin }) => `${address} ${origin}`)
  t.strictSame(shown(), ['fe80::7 LinkLocal', '2001:db8::7 SLAAC', '2001:db8::8 Static'])
  await port.configure({ ...setUp, slaac: true, ipv6: [{ address: '2001:db8::9', prefixLength: 64 }] }, shared)
  t.strictSame(shown(), ['fe80::7 LinkLocal', '2001:db8::7 SLAAC', '2001:db8::9 Static'])
  await port.configure({ ...setUp, slaac: false }, shared)
  t.strictSame(shown(), ['fe80::7 LinkLocal'])
  const leased = simPort({ ipv4: [{ address: '192.0.2.16', subnetMask: '255.255.255.0', origin: 'DHCP' }] })
  t.teardown(() => leased.close())
  t.match(leased.state.settings, { ipv4: [], gateway: null, dhcpv4: { enabled: true } })
})

t.test('a simulated port fails as its faults say, and is then as before', async (t) => {
  const port = simPort({ faults: { failNext: 'EIO' } })
  const before = port.state
  await t.rejects(port.configure(setUp, shared), { code: 'EIO' })
  t.strictSame(port.state, before)
  await port.close()
})

t.test('a device that is set up by another program is as that answers', async (t) => {
  const { options, folder } = device(t)
  const folders = { configure: `${folder}/settings`, answers: `${folder}/answers` }
  mkdirSync(folders.answers)
  const port = netdevPort({ ...options, ...folders, interval: 60_000, timeout: 5000 })
  t.teardown(() => port.close())
  t.equal(port.state.settings, undefined, 'no answer yet')
  const settings = {
    ...setUp,
    vlan: { enabled: true, id: 12, priority: 3 },
    ipv4: [...setUp.ipv4, { address: '10.1.2.3', subnetMask: '255.255.240.0' }],
    gateway: '198.51.100.1',
    dhcpv4: { ...setUp.dhcpv4, enabled: true, useNtp: false },
    ipv6: [{ address: '2001:db8::9', prefixLength: 64 }],
    ipv6Gateway: 'fe80::1',
    dhcpv6: { ...setUp.dhcpv6, enabled: true, useDomain: false },
    nameServers: ['192.0.2.53', '2001:db8::53']
  }
  const names = { ...shared, domain: 'example.net', timeServers: ['192.0.2.7'] }
  const answer = (result: number) => {
    const text = readFileSync(`${folders.configure}/lo`, 'utf8')
    const [serial, ...rest] = text.trimEnd().split('\n')
    const lease = ['carrier lo', 'lease 127.0.0.1', 'lease-ntp 192.0.2.123']
    writeFileSync(`${folders.answers}/lo`, `${[serial, `result ${result}`, ...lease, ...rest].join('\n')}\n`)
    return rest
  }
  const done = port.configure(settings, names)
  t.strictSame(answer(0), [
    'enabled 1',
    'mtu 1500',
    'vlan 12 3',
    'address 198.51.100.9/24',
    'address 10.1.2.3/20',
    'address 2001:db8::9/64',
    'gateway 198.51.100.1',
    'gateway fe80::1',
    'dhcp dns domain gateway',
    'dhcp6 dns ntp',
    'slaac 0',
    'nameserver 192.0.2.53',
    'nameserver 2001:db8::53',
    'hostname controller',
    'domain example.net',
    'ntp 1',
    'timeserver 192.0.2.7'
  ])
  await done
  t.strictSame(port.state.settings, settings)
  t.match(port.state, { ipv4: [{ address: '127.0.0.1', origin: 'DHCP' }], ntpServers: ['192.0.2.123'] })
  const refused = port.configure(settings, names)
  answer(99)
  await t.rejects(refused, { code: 'EIO', message: 'port-1-1: lo is not set up: the kernel says 99' })
  const late = netdevPort({ ...options, ...folders, timeout: 1 })
  t.teardown(() => late.close())
  await t.rejects(late.configure(settings, names), {
    code: 'ETIMEDOUT',
    message: 'port-1-1: lo was not set up in time'
  })
})

t.test('of options that are wrong no port is simulated', async (t) => {
  for (const [wrong, message] of [
    [{ mac: '8c:12:c2:0a:41:50' }, 'port: 8c:12:c2:0a:41:50 is not a MAC address'],
    [{ speed: 'fast' }, 'port: speed is in Mbit/s'],
    [{ ipv4: { address: '192.0.2.1' } }, 'port: ipv4 and ipv6 are lists of addresses'],
    [{ ipv6: [null] }, 'port: ipv4 and ipv6 are lists of addresses']
  ] as const) {
    t.throws(() => simPort(wrong as object), { name: 'HalError', code: 'EINVAL', message })
  }
})

t.test('options that are wrong are one sentence', async (t) => {
  const { options, folder } = device(t)
  for (const [wrong, code, message] of [
    [{ device: undefined }, 'EINVAL', 'port-1-1: it needs the name of a device'],
    [{ device: '../lo' }, 'EINVAL', 'port-1-1: it needs the name of a device'],
    [{ folder: 7 }, 'EINVAL', 'port-1-1: folder and tables must be folders'],
    [{ tables: 7 }, 'EINVAL', 'port-1-1: folder and tables must be folders'],
    [{ resolver: 7 }, 'EINVAL', 'port-1-1: resolver must be a file'],
    [{ configure: 7 }, 'EINVAL', 'port-1-1: configure and answers must be folders'],
    [{ answers: 7 }, 'EINVAL', 'port-1-1: configure and answers must be folders'],
    [{ timeout: 0 }, 'EINVAL', 'port-1-1: timeout is in milliseconds'],
    [{ timeout: 1.5 }, 'EINVAL', 'port-1-1: timeout is in milliseconds'],
    [{ interval: 0 }, 'EINVAL', 'port-1-1: interval is in milliseconds'],
    [{ interval: 1.5 }, 'EINVAL', 'port-1-1: interval is in milliseconds'],
    [{ device: 'eth7' }, 'ENODEV', 'port-1-1: there is no network device eth7: there is eth9, lo'],
    [{ folder: `${folder}/no` }, 'ENODEV', `port-1-1: there is no network device lo: there is no ${folder}/no`]
  ] as const) {
    t.throws(() => netdevPort({ ...options, ...wrong }), { name: 'HalError', code, message })
  }
})
