// own process: it starts servers in namespaces of the network
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { isInstalled } from '#test/host/hosts.ts'
import { lackingNamespaces, namespaces } from '#test/host/namespaces.ts'
import { directory } from '#test/host/server.ts'
import { initFiles, networkFiles } from './init-parts.ts'

const { buildTest } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const program = 'dist/native-sanitized/network'
const files = ['../../test/image/fixtures/network.c', ...networkFiles, ...initFiles('network_clients', 'sntp')]
const tools = {
  dnsmasq: 'dnsmasq-base',
  radvd: 'radvd',
  chronyd: 'chrony'
}
const lacking = [
  buildTest({ files, output: program }),
  ...Object.entries(tools).map(([tool, name]) => (isInstalled(tool) ? undefined : name)),
  lackingNamespaces
].filter((each) => each !== undefined)
const skip = lacking.length > 0 && process.env.CI !== 'true' && `it needs ${lacking.join(', ')}`

t.setTimeout(900_000)

t.test('the init process sets ports up, with real servers on the other end of the cable', { skip }, async (t) => {
  const { enter, start } = await namespaces(t)
  const board = (...command: string[]) => enter('board', ...command)
  const root = directory(t)
  for (const name of ['settings', 'defaults', 'answers', 'leases', 'server']) mkdirSync(`${root}/${name}`)
  const put = (text: string, where = 'settings') => {
    writeFileSync(`${root}/${where}/.new`, text)
    renameSync(`${root}/${where}/.new`, `${root}/${where}/eth0`)
  }
  const answer = (name = 'eth0') => lines(`${root}/answers/${name}`)
  const addresses = (device = 'eth0') =>
    board('ip', '-o', 'address', 'show', 'dev', device)
      .split('\n')
      .flatMap((line) => / inet6? (\S+) .*scope global/.exec(line)?.[1] ?? [])
  const ways = (family = '-4') => board('ip', family, 'route', 'show', 'default').trim()
  let serial = 0
  /** Writes settings, and settles when they are answered. */
  const setUp = async (...wanted: string[]) => {
    serial += 1
    put(['', ...wanted, ''].join('\n').replace('', `serial ${serial}`))
    await until(() => answer().includes(`serial ${serial}`))
    return answer().find((line) => line.startsWith('result'))
  }
  const heard: string[] = []
  const run = () => {
    const child = start('board', [resolve(program), ...folders.map((each) => `${root}/${each}`), 'eth0'])
    child.stdout?.on('data', (data) => heard.push(...String(data).split('\n')))
    return child
  }
  const folders = ['settings', 'defaults', 'answers', 'leases']

  enter('server', 'ip', 'address', 'add', '192.0.2.1/24', 'dev', 'peer')
  enter('server', 'ip', 'address', 'add', '192.0.2.123/24', 'dev', 'peer')
  enter('server', 'ip', 'address', 'add', 'fe80::1/64', 'dev', 'peer', 'nodad')
  const said: string[] = []
  const dhcp = start('server', [
    ...['dnsmasq', '--no-daemon', '--conf-file=/dev/null', '--port=0', '--interface=peer', '--bind-interfaces'],
    ...['--log-dhcp', '--no-ping', '--user=', '--group=', '--dhcp-authoritative'],
    ...[`--pid-file=${root}/server/pid`, `--dhcp-leasefile=${root}/server/leases`],
    ...['--dhcp-range=192.0.2.50,192.0.2.59,255.255.255.0,120', '--dhcp-option=option:router,192.0.2.1'],
    ...['--dhcp-option=option:dns-server,192.0.2.53,192.0.2.54', '--dhcp-option=option:ntp-server,192.0.2.123'],
    ...['--domain=example.net', '--dhcp-option=option:domain-search,lab.example.net,example.net']
  ])
  dhcp.stderr?.on('data', (data) => said.push(...String(data).split('\n')))
  const asked = () => said.flatMap((line) => /DHCP(DISCOVER|REQUEST)/.exec(line)?.[1] ?? [])
  put('enabled 1\nmtu 1500\nslaac 1\nhostname minnow\ndhcp dns domain gateway ntp\n', 'defaults')
  let network = run()

  await t.test('in its factory state it takes all settings from a DHCP server, and sends its name', async (t) => {
    await until(() => answer().some((line) => line.startsWith('lease ')))
    const [address = ''] = addresses()
    t.match(address, /^192\.0\.2\.5\d\/24$/)
    const lease = ['lease-nameserver 192.0.2.53', 'lease-nameserver 192.0.2.54', 'lease-ntp 192.0.2.123']
    const domains = ['lease-domain example.net', 'lease-search lab.example.net example.net']
    const known = ['serial 0', 'result 0', 'carrier eth0', `lease ${address.slice(0, -3)}`, ...lease, ...domains]
    t.strictSame(answer().slice(0, known.length), known)
    t.match(ways(), /^default via 192\.0\.2\.1 dev eth0/)
    const resolver = ['nameserver 192.0.2.53', 'nameserver 192.0.2.54', 'search lab.example.net example.net']
    t.strictSame(answer('resolv.conf'), resolver)
    t.match(readFileSync(`${root}/server/leases`, 'utf8'), /^\d+ [\da-f:]{17} 192\.0\.2\.5\d minnow 01:[\da-f:]{17}$/m)
  })

  const processes = () => heard.flatMap((line) => /^process (\d+)$/.exec(line)?.[1] ?? [])

  await t.test('the process that talks to servers may use the ports of DHCP, and has sockets only', async (t) => {
    const at = `/proc/${processes().at(-1)}`
    const status = readFileSync(`${at}/status`, 'utf8')
    const ports = (1 << 10).toString(16).padStart(16, '0')
    for (const line of [`CapPrm:\t${ports}`, `CapEff:\t${ports}`, 'NoNewPrivs:\t1', 'Seccomp:\t2', 'Name:\tnetwork'])
      t.ok(status.split('\n').includes(line), line)
    const files = readdirSync(`${at}/fd`).map((name) => readlinkSync(`${at}/fd/${name}`))
    t.ok(files.length > 1 && files.every((file) => file.startsWith('socket:')), files.join())
  })

  await t.test('it asks the server that DHCP names for the time, and first one that a client has named', async (t) => {
    const conf = [
      'local stratum 5',
      'allow',
      'cmdport 0',
      `pidfile ${root}/server/chronyd.pid`,
      `driftfile ${root}/server/drift`
    ]
    writeFileSync(`${root}/server/chrony.conf`, `${conf.join('\n')}\n`)
    start('server', ['chronyd', '-x', '-d', '-u', 'root', '-f', `${root}/server/chrony.conf`])
    const offset = () => heard.flatMap((line) => /^behind (-?\d+) ms$/.exec(line)?.[1] ?? [])
    await until(() => offset().length === 1)
    t.ok(Math.abs(Number(offset()[0])) < 1000, 'the two have one clock')
    await setUp('enabled 1', 'slaac 1', 'hostname minnow', 'dhcp dns domain gateway ntp', 'timeserver 192.0.2.1')
    await until(() => offset().length === 2)
    t.equal(offset().length, 2)
  })

  await t.test('it asks for the same address when the cable was out, and after an end of either process', async (t) => {
    const [address = ''] = addresses()
    for (const again of [
      () => {
        enter('server', 'ip', 'link', 'set', 'peer', 'down')
        enter('server', 'ip', 'link', 'set', 'peer', 'up')
      },
      () => process.kill(Number(processes().at(-1))),
      async () => {
        network.kill()
        await once(network, 'exit')
        network = run()
      }
    ]) {
      said.length = 0
      rmSync(`${root}/answers/eth0`)
      await again()
      await until(() => answer().some((line) => line.startsWith('lease ')) && asked().length > 0)
      // One whose answer takes its time is asked again.
      t.strictSame(new Set(asked()), new Set(['REQUEST']))
      t.strictSame(addresses(), [address])
    }
  })

  await t.test('a static address, gateways, servers and a name take the place of the lease', async (t) => {
    const result = await setUp(
      ...['enabled 1', 'mtu 1400', 'address 198.51.100.9/24', 'address 192.0.2.9/24', 'address 2001:db8:7::9/64'],
      ...[
        'gateway 192.0.2.1',
        'gateway fe80::1',
        'slaac 0',
        'nameserver 192.0.2.2',
        'hostname rack7',
        'domain example.org'
      ]
    )
    t.equal(result, 'result 0')
    t.strictSame(addresses().sort(), ['192.0.2.9/24', '198.51.100.9/24', '2001:db8:7::9/64'])
    t.match([ways(), ways('-6')], [/^default via 192\.0\.2\.1 dev eth0/, /^default via fe80::1 dev eth0/])
    t.match(board('ip', 'link', 'show', 'dev', 'eth0'), /mtu 1400 .*state UP/)
    t.strictSame(answer('resolv.conf'), ['nameserver 192.0.2.2', 'search example.org'])
    t.equal(board('hostname').trim(), 'rack7')
    await setUp('enabled 1', 'slaac 0', 'address 192.0.2.9/24')
    t.strictSame([addresses(), ways(), ways('-6')], [['192.0.2.9/24'], '', ''], 'what is not wanted goes')
  })

  await t.test('settings that make no sense are refused, and those before stay', async (t) => {
    t.equal(await setUp('enabled 1', 'address 192.0.2.10/33'), 'result 22')
    t.strictSame(addresses(), ['192.0.2.9/24'])
  })

  /** A router that says whether there is more than addresses. */
  const advertise = (flag = 'off') => {
    const prefix = 'prefix 2001:db8:0:1::/64 { AdvOnLink on; AdvAutonomous on; };'
    const often = 'MinRtrAdvInterval 3; MaxRtrAdvInterval 4;'
    const text = `interface peer { AdvSendAdvert on; AdvOtherConfigFlag ${flag}; ${often} ${prefix} };\n`
    const [conf, pid] = [`${root}/server/radvd.conf`, `${root}/server/radvd.pid`]
    writeFileSync(conf, text)
    return start('server', ['radvd', '-n', '-m', 'stderr', '-C', conf, '-p', pid])
  }
  let router: ReturnType<typeof start>

  await t.test('it accepts router advertisements while slaac is 1', async (t) => {
    const advertised = () => addresses().some((each) => each.startsWith('2001:db8:0:1:'))
    await setUp('enabled 1', 'slaac 1')
    router = advertise()
    await until(advertised)
    t.match(ways('-6'), /^default via fe80::\S+ dev eth0 proto ra/)
    await setUp('enabled 1', 'slaac 0')
    t.equal(advertised(), false)
  })

  await t.test('it asks a DHCPv6 server for the rest once a router says that there is one', async (t) => {
    const told: string[] = []
    enter('server', 'ip', 'address', 'add', '2001:db8:0:1::1/64', 'dev', 'peer', 'nodad')
    const dhcp = start('server', [
      ...['dnsmasq', '--no-daemon', '--conf-file=/dev/null', '--port=0', '--interface=peer', '--bind-interfaces'],
      ...['--log-dhcp', '--user=', '--group=', '--dhcp-range=2001:db8:0:1::,static'],
      ...[`--pid-file=${root}/server/pid6`, `--dhcp-leasefile=${root}/server/leases6`],
      ...['--dhcp-option=option6:dns-server,[2001:db8::53],[fe80::54]', '--dhcp-option=option6:31,[2001:db8::31]'],
      ...['--dhcp-option=option6:ntp-server,[2001:db8::123]', '--dhcp-option=option6:domain-search,six.example.net']
    ])
    dhcp.stderr?.on('data', (data) => told.push(...String(data).split('\n')))
    const lease = () => answer().filter((line) => line.startsWith('lease'))
    await until(() => told.some((line) => line.includes('DHCPv6')))
    const heard = () =>
      Number(
        /RouterAdvertisements\s+(\d+)/.exec(board('cat', '/proc/net/dev_snmp6/eth0').replace(/^.*Out.*$/gm, ''))?.[1]
      )
    await setUp('enabled 1', 'slaac 1', 'dhcp6 dns domain ntp')
    const before = heard()
    await until(() => heard() > before + 3)
    t.ok(heard() > before + 3)
    t.strictSame(lease(), [], 'this router announces no DHCPv6')
    t.notMatch(told.join('\n'), /INFORMATION-REQUEST/)

    router.kill()
    await once(router, 'exit')
    router = advertise('on')
    await until(() => lease().length > 0)
    const names = ['lease-nameserver 2001:db8::53', 'lease-nameserver fe80::54%eth0']
    t.strictSame(new Set(lease()), new Set([...names, 'lease-ntp 2001:db8::31', 'lease-ntp 2001:db8::123']))
    const resolver = ['nameserver 2001:db8::53', 'nameserver fe80::54%eth0', 'search six.example.net']
    t.strictSame(answer('resolv.conf'), resolver)
    t.match(told.join('\n'), /DHCPINFORMATION-REQUEST\(peer\) 00:03:00:01:/, 'by the id of its hardware')

    await setUp('enabled 1', 'slaac 1', 'dhcp6 ntp', 'nameserver 192.0.2.2')
    t.strictSame(answer('resolv.conf'), ['nameserver 192.0.2.2'], 'what is not to be used is not')
    await setUp('enabled 1', 'slaac 1')
    t.strictSame(lease(), [], 'a client that is off has forgotten it')
    await setUp('enabled 1', 'slaac 0', 'dhcp6 dns')
    await until(() => lease().length > 0)
    t.strictSame(lease(), names, 'one that hears no routers asks in any case')
  })

  const noVlan = spawnSync('unshare', ['-rn', 'sh', '-c', `${dummy} && ${vlan}`]).status !== 0
  const lacks = noVlan && 'this kernel has no VLANs; the emulated board has (image.test.ts)'
  await t.test('a VLAN has the addresses in place of the device', { skip: lacks }, async (t) => {
    await setUp('enabled 1', 'mtu 1500', 'vlan 12 3', 'slaac 0', 'address 203.0.113.9/24')
    t.ok(answer().includes('carrier eth0.12'))
    t.strictSame([addresses(), addresses('eth0.12')], [[], ['203.0.113.9/24']])
    t.match(board('ip', '-d', 'link', 'show', 'eth0.12'), /vlan protocol 802.1Q id 12 [\s\S]*egress-qos-map { 0:3 }/)
    await setUp('enabled 1', 'slaac 0', 'address 203.0.113.9/24')
    t.strictSame(addresses(), ['203.0.113.9/24'])
    t.notMatch(board('ip', 'link'), /eth0\.12/)
  })

  await t.test('a port that is disabled has no address and no link', async (t) => {
    await setUp('enabled 0', 'slaac 1', 'address 203.0.113.9/24')
    t.strictSame(addresses(), [])
    t.match(board('ip', 'link', 'show', 'dev', 'eth0'), /state DOWN/)
  })

  await t.test('it has kept to its memory', async (t) => {
    t.strictSame([network.exitCode, network.signalCode], [null, null])
    t.equal(processes().length, 3, 'nor has the other process ended')
  })
})

const dummy = 'ip link add veth0 type veth peer name veth1'
const vlan = 'ip link add link veth0 name veth0.5 type vlan id 5'

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 30_000
  while (!isSo() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
}

function lines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}
