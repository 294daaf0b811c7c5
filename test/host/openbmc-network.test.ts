import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { ownBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { admin, directory, type Json, type Server, start } from './server.ts'

const manager = '/redfish/v1/Managers/bmc/'
const port = `${manager}EthernetInterfaces/eth0/`
const eth0 = '/xyz/openbmc_project/network/eth0'
const protocol = `${manager}NetworkProtocol/`
const config = '/xyz/openbmc_project/network/config'
const method = '/xyz/openbmc_project/time/sync_method'
const address = { Address: '198.51.100.9', SubnetMask: '255.255.255.0', Gateway: '198.51.100.1' }
const vendor = (RollbackTime: number) => ({ Oem: { Vendor: { RollbackTime } } })

async function started(t: Test, host: Host, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(ownBoard(bus.socket)))
  const args = ['--board', board]
  const server = await start(t, host, { args })
  const until = (path: string, expected: (json: Json) => boolean, of: Server = server) =>
    of.until(
      () => of.get(path),
      ({ json }) => expected(json)
    )
  const get = (property: string) => daemons.get(eth0, 'Network.EthernetInterface', property)
  /** Looks at the bus until it is so. */
  const seen = async (isSo: () => Promise<boolean>) => {
    for (let tries = 0; !(await isSo()); tries += 1) {
      if (tries === 2400) throw new Error('the bus is never so')
      await new Promise((next) => setTimeout(next, 50))
    }
  }
  const isThere = (path: string) =>
    daemons.get(path, 'Network.IP', 'Address').then(
      () => true,
      () => false
    )
  /** The object of the address that clients set here. */
  const fixed = () => isThere(`${eth0}/_3198_2e51_2e100_2e9_2f24`)
  return { bus, daemons, server, args, until, get, seen, fixed }
}

/** The next event of a kind about a resource. */
async function told(events: EventSource, id: RegExp, uri: string) {
  for (;;) {
    const { MessageId, OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
    if (id.test(MessageId) && OriginOfCondition?.['@odata.id'] === uri) return
  }
}

const addresses = ({ IPv4Addresses }: Json) => IPv4Addresses.map(({ Address }: Json) => Address)

onBothHosts(async (t, host) => {
  await t.test('a port is set up by the network manager, and shows what other programs change', async (t) => {
    const { daemons, server, until, get, seen, fixed } = await started(t, host)
    const { json } = await until(port, ({ MACAddress }) => MACAddress === '02:00:00:00:00:01')
    t.match(json, {
      LinkStatus: 'LinkUp',
      SpeedMbps: 1000,
      MTUSize: 1500,
      DHCPv4: { DHCPEnabled: true, UseNTPServers: true },
      DHCPv6: { OperatingMode: 'Disabled' },
      IPv4Addresses: [{ Address: '192.0.2.10', AddressOrigin: 'DHCP', Gateway: '192.0.2.1' }],
      IPv4StaticAddresses: [],
      NameServers: ['192.0.2.53']
    })
    t.same([json.VLAN, json.DHCPv4.UseGateway], [undefined, undefined])
    const refused = await server.patch(port, { VLAN: { VLANEnable: true } })
    t.same([refused.status, messagesOf(refused)], [400, ['Base.PropertyUnknown(VLAN)']])

    const events = await EventSource.open(t, server)
    const wish = { IPv4StaticAddresses: [address], StaticNameServers: ['192.0.2.54'], MTUSize: 1400 }
    t.equal(
      (await server.patch(port, { ...wish, DHCPv6: { OperatingMode: 'Enabled', UseDNSServers: false } })).status,
      200
    )
    t.match((await server.get(port)).json, wish, 'at once')
    await seen(fixed)
    await seen(async () => (await get('DHCPEnabled')) === 'both')
    await until(port, (json) => addresses(json).includes('198.51.100.9'))
    t.match((await server.get(port)).json, { ...wish, DHCPv6: { OperatingMode: 'Enabled', UseDNSServers: false } })
    t.same(
      [await get('MTU'), await get('DefaultGateway'), await get('StaticNameServers')],
      [1400, '198.51.100.1', ['192.0.2.54']]
    )
    await told(events, /ResourceChanged$/, port)
    await told(events, /ResourceChanged$/, port)

    const { headers } = await server.get(port)
    await daemons.set(eth0, 'Network.EthernetInterface', 'MTU', 1300)
    await told(events, /ResourceChanged$/, port)
    t.match((await server.get(port)).json, { MTUSize: 1300 })
    const old = await server.patch(port, { MTUSize: 1280 }, { ...admin, 'if-match': String(headers.etag) })
    t.equal(old.status, 412)
  })

  await t.test('a change that no client confirms is rolled back, also after the service was killed', async (t) => {
    const { daemons, server, args, until, get, seen, fixed } = await started(t, host)
    await until(port, ({ MTUSize }) => MTUSize === 1500)
    const events = await EventSource.open(t, server)
    t.equal((await server.patch(port, { IPv4StaticAddresses: [address], ...vendor(1) })).status, 200)
    await seen(fixed)
    await seen(async () => !(await fixed()))
    await told(events, /NetworkChangeTakenBack$/, port)
    t.match((await until(port, ({ Oem }) => Oem.Vendor.RollbackTime === null)).json, { IPv4StaticAddresses: [] })

    t.equal((await server.patch(port, { IPv4StaticAddresses: [address], ...vendor(2) })).status, 200)
    await seen(fixed)
    await server.kill()
    await daemons.kill('Network')
    const next = await start(t, host, { args, data: server.data })
    t.match((await next.get(port)).status, 200)
    await daemons.start('Network')
    t.ok(await fixed(), 'the simulated daemon keeps its addresses')
    await daemons.set(eth0, 'Network.EthernetInterface', 'MTU', 1450)
    await seen(async () => !(await fixed()))
    t.equal(await get('MTU'), 1450, 'what another program has set meanwhile stays')
    t.match((await until(port, ({ Oem }) => Oem.Vendor.RollbackTime === null, next)).json, { MTUSize: 1450 })
  })

  await t.test('a client that comes to an address of the port keeps the change', async (t) => {
    const { daemons, server, until, seen, fixed } = await started(t, host)
    const content = { Address: '127.0.0.1', PrefixLength: 8, Origin: 'DHCP', Type: 'IPv4' }
    await daemons.add('Network', `${eth0}/_3127_2e0_2e0_2e1_2f8`, { 'Network.IP': content, 'Object.Delete': {} })
    await until(port, (json) => addresses(json).includes('127.0.0.1'))
    const events = await EventSource.open(t, server)
    t.equal((await server.patch(port, { IPv4StaticAddresses: [address] })).status, 200)
    t.equal((await server.get(port)).json.Oem.Vendor.RollbackTime, 60, 'it is on trial by itself')
    await seen(fixed)
    await until(port, ({ Oem }) => Oem.Vendor.RollbackTime === null)
    await told(events, /NetworkChangeKept$/, port)
    t.ok(await fixed())
  })

  await t.test('without the network manager the port is as it was, and a change is refused', async (t) => {
    const { daemons, server, until, seen, get } = await started(t, host)
    await until(port, ({ MTUSize }) => MTUSize === 1500)
    await daemons.kill('Network')
    t.match((await until(port, ({ MTUSize }) => MTUSize === undefined)).json, { MACAddress: '02:00:00:00:00:01' })
    const refused = await server.patch(port, { MTUSize: 1400 })
    t.same([refused.status, messagesOf(refused)], [409, ['Mgmt.InvalidOperationForSystemState()']])
    await daemons.start('Network')
    await until(port, ({ MTUSize }) => MTUSize === 1500)
    const events = await EventSource.open(t, server)
    await daemons.fail(eth0, 'Network.EthernetInterface', 'MTU', 'Common.Error.NotAllowed')
    t.equal((await server.patch(port, { MTUSize: 1400 })).status, 200)
    await told(events, /NetworkChangeFailed$/, port)
    t.equal((await until(port, ({ MTUSize }) => MTUSize === 1500)).status, 200)
    await daemons.fail(eth0, 'Network.EthernetInterface', 'MTU', null)
    await server.patch(port, { MTUSize: 1400 })
    await seen(async () => (await get('MTU')) === 1400)
  })

  await t.test('host name, time servers and clock are those of the machine', async (t) => {
    const { daemons, server, until, get } = await started(t, host)
    await until(protocol, ({ HostName }) => HostName === 'openbmc')
    t.match((await server.get(protocol)).json.NTP, { NTPServers: [], ProtocolEnabled: true })
    const events = await EventSource.open(t, server)
    const names = { HostName: 'bmc-7', FQDN: 'bmc-7.rack.example' }
    const NTP = { NTPServers: ['ntp.example'], ProtocolEnabled: true }
    t.equal((await server.patch(protocol, { ...names, NTP })).status, 200)
    t.match((await server.get(protocol)).json, { ...names, NTP })
    t.match((await server.get(port)).json, names)
    t.equal(await daemons.get(config, 'Network.SystemConfiguration', 'HostName'), 'bmc-7')
    t.same([await get('DomainName'), await get('StaticNTPServers')], [['rack.example'], ['ntp.example']])
    await told(events, /ResourceChanged$/, protocol)

    t.equal((await server.patch(port, { HostName: 'bmc-8' })).status, 200)
    t.equal(await daemons.get(config, 'Network.SystemConfiguration', 'HostName'), 'bmc-8')
    await daemons.set(config, 'Network.SystemConfiguration', 'HostName', 'bmc-9')
    await told(events, /ResourceChanged$/, protocol)
    t.match((await server.get(protocol)).json, { HostName: 'bmc-9', FQDN: 'bmc-9.rack.example' })
    t.match((await server.get(port)).json, { HostName: 'bmc-9' })
    await daemons.set(eth0, 'Network.EthernetInterface', 'NTPServers', ['192.0.2.123'])
    await until(protocol, (json) => json.NTP.NetworkSuppliedServers[0] === '192.0.2.123')

    const DateTime = '2031-01-02T03:04:05Z'
    const early = await server.patch(manager, { DateTime })
    t.same([early.status, messagesOf(early)], [400, ['Base.PropertyValueConflict(DateTime, NTP/ProtocolEnabled)']])
    t.equal((await server.patch(protocol, { NTP: { ProtocolEnabled: false } })).status, 200)
    t.match(await daemons.get(method, 'Time.Synchronization', 'TimeSyncMethod'), /Manual$/)
    t.equal((await server.patch(manager, { DateTime, DateTimeLocalOffset: '+02:00' })).status, 200)
    const set = await daemons.get('/xyz/openbmc_project/time/bmc', 'Time.EpochTime', 'Elapsed')
    t.equal(set, Date.parse(DateTime) * 1000)
    t.match((await server.get(manager)).json, { DateTimeLocalOffset: '+02:00' })

    await daemons.set(method, 'Time.Synchronization', 'TimeSyncMethod', 'NTP')
    await until(protocol, (json) => json.NTP.ProtocolEnabled === true)
    await daemons.kill('Network')
    await until(port, ({ MTUSize }) => MTUSize === undefined)
    const refused = await server.patch(protocol, { HostName: 'bmc-10' })
    t.same([refused.status, messagesOf(refused)[0]], [503, 'Base.ServiceTemporarilyUnavailable(60)'])
    t.match((await server.get(protocol)).json, { HostName: 'bmc-9', NTP: { NTPServers: ['ntp.example'] } })
  })
})
