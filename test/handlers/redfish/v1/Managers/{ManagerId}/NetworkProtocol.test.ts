import t from 'tap'
import { simPort } from '#hal/sim/ports.ts'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/NetworkProtocol.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('HTTPS is served on the port of the configuration, and HTTP not at all', async (t) => {
  t.match(GET(context({ params, configuration: { port: 4443 } })), {
    FQDN: 'mc-sim2510a7k.example.net',
    HTTP: { ProtocolEnabled: false },
    HTTPS: { ProtocolEnabled: true, Port: 4443 },
    HostName: 'mc-sim2510a7k'
  })
  t.equal(GET(context({ params, configuration: { port: 0 } })).HTTPS?.Port, null, 'one that the system chose')
})

t.test('time is asked for once there are servers to ask', async (t) => {
  t.match(GET(context({ params })).NTP, { NTPServers: [], ProtocolEnabled: false })
  const tables = { clock: { 1: { timeServers: ['time.example.net'] } } }
  t.match(GET(context({ params, tables })).NTP, { NTPServers: ['time.example.net'], ProtocolEnabled: true })
})

t.test('time servers are set, kept and removed as a PATCH of an array does', async (t) => {
  const tables = { clock: { 1: { timeServers: ['192.0.2.7', 'time.example.net'] } } }
  const NTPServers = [null, {}, 'new.example.net'] as unknown as string[]
  t.same((await PATCH(context({ params, tables, body: { NTP: { NTPServers } } }))).writes, {
    clock: { 1: { timeServers: ['time.example.net', 'new.example.net'] } }
  })
})

t.test('NTP can be switched on and off for servers from any source', async (t) => {
  const { writes, commands } = await PATCH(context({ params, body: { NTP: { ProtocolEnabled: false } } }))
  t.same(writes?.clock, { 1: { timeServers: undefined, ntp: false } })
  t.same(commands, [{ kind: 'configurePorts', manager: '1' }])
  const tables = { clock: { 1: { timeServers: ['192.0.2.7'], ntp: false } } }
  t.match(GET(context({ params, tables })).NTP, { NTPServers: ['192.0.2.7'], ProtocolEnabled: false })
  const port = { ...simPort().state, ntpServers: ['192.0.2.8'] }
  t.match(GET(context({ params, port })).NTP, { NetworkSuppliedServers: ['192.0.2.8'], ProtocolEnabled: true })
})

t.test('a host name belongs to the controller, and is set on all of its ports', async (t) => {
  const { writes, commands } = await PATCH(context({ params, body: { HostName: 'bmc-7' } }))
  t.same(writes, { hostNames: { 1: { hostName: 'bmc-7', domain: 'example.net' } } })
  t.same(commands, [{ kind: 'configurePorts', manager: '1' }])
  const tables = { hostNames: { 1: { hostName: 'bmc-7', domain: 'rack.example' } } }
  t.match(GET(context({ params, tables })), { HostName: 'bmc-7', FQDN: 'bmc-7.rack.example' })
})

t.test('clients do not find it unless they are to', async (t) => {
  const shown = GET(context({ params }))
  t.same([shown.SSDP?.ProtocolEnabled, shown.Oem?.Vendor?.MulticastDNS?.ProtocolEnabled], [false, false])
  const tables = { discovery: { 1: { ssdp: true, notifyTtl: 4 } } }
  t.match(GET(context({ params, tables })).SSDP, {
    ProtocolEnabled: true,
    NotifyTTL: 4,
    NotifyIPv6Scope: 'Link',
    Port: 1900
  })
  const Oem = { Vendor: { MulticastDNS: { ProtocolEnabled: true } } }
  const { writes } = await PATCH(context({ params, body: { SSDP: { NotifyTTL: 1 }, Oem } }))
  t.match(writes?.discovery?.[1], { notifyTtl: 1, ssdp: undefined, mdns: true })
})

t.test('another port of HTTPS is for a command, which stores it once it can be had', async (t) => {
  const move = async (given: object, Port: number | undefined, RollbackTime?: number) => {
    const body = {
      ...(Port !== undefined && { HTTPS: { Port } }),
      ...(RollbackTime !== undefined && { Oem: { Vendor: { RollbackTime } } })
    }
    const { writes, commands = [] } = await PATCH(context({ params, localAddress: '192.0.2.16', ...given, body }))
    t.same(writes, {})
    return commands
  }
  const moved = (port: number, seconds: number) => [{ kind: 'moveHttps', port, seconds }]
  t.same(await move({}, 9443), moved(9443, 60))
  t.same(await move({ localAddress: undefined }, 9443), moved(9443, 0), 'no client has connected over the network')
  t.same(await move({}, 9443, 5), moved(9443, 5))
  t.same(await move({}, 8443), [], 'it is there')
  t.same(await move({}, undefined, 0), [], 'none is on trial')
  const tables = { httpsPort: { settings: { port: 9443, trial: { before: null, seconds: 60 } } } }
  t.match(GET(context({ params, tables })), { HTTPS: { Port: 9443 }, Oem: { Vendor: { RollbackTime: 60 } } })
  t.same(await move({ tables }, undefined, 0), moved(9443, 0), 'is kept')
  t.same(await move({ tables }, 9443, 30), [], 'is on trial as it was')
  t.same(await move({ tables }, 8443), moved(8443, 60))
})

t.test('the port of HTTPS must be free, and cannot change if it is fixed', async (t) => {
  const refused = (Port: number | null, given: object = {}, more: object = {}) =>
    refusal(() => PATCH(context({ params, ...given, body: { HTTPS: { Port: Port as number }, ...more } })))
  const conflict = (other: string) => ({ status: 400, messages: [['Base.PropertyValueConflict', 'HTTPS/Port', other]] })
  for (const [port, other] of [
    [80, 'HTTP/Port'],
    [123, 'NTP/Port'],
    [1900, 'SSDP/Port'],
    [5353, 'Oem/Vendor/MulticastDNS/Port']
  ] as const)
    t.same(await refused(port), conflict(other))
  t.same(await refused(9443, {}, { SSDP: { Port: 9443 } }), conflict('SSDP/Port'))
  const fixed = { configuration: { portIsFixed: true } }
  t.same(await refused(9443, fixed), { status: 400, messages: [['Base.PropertyNotWritable', 'HTTPS/Port']] })
  t.same(await refused(null), { status: 400, messages: [['Base.PropertyValueTypeError', 'null', 'HTTPS/Port']] })
})

t.test('there is no other manager', async (t) => {
  const other = { ManagerId: '2' }
  t.same(await refusal(() => GET(context({ params: other }))), missing)
  t.same(await refusal(() => PATCH(context({ params: other, body: {} }))), missing)
})

t.test('setting it up takes the privilege for the controller', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
