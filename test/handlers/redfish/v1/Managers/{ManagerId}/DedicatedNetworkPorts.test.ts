import t from 'tap'
import type { LldpInformation, PortState } from '#hal/ports.ts'
import { GET as metrics } from '#handlers/redfish/v1/Managers/{ManagerId}/DedicatedNetworkPorts/{PortId}/Metrics.ts'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/DedicatedNetworkPorts/{PortId}.ts'
import { GET as list } from '#handlers/redfish/v1/Managers/{ManagerId}/DedicatedNetworkPorts.ts'
import { GET as manager } from '#handlers/redfish/v1/Managers/{ManagerId}.ts'
import { badRequest, context, missing, refusal, withBasis } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Managers/1/DedicatedNetworkPorts'
const params = { ManagerId: '1', PortId: '1' }
const port: PortState = {
  ...{ mac: '8C:12:C2:0A:41:50', linkUp: true, speed: 1000, fullDuplex: true, hasLldp: true },
  ipv4: [{ address: '192.0.2.80', subnetMask: '255.255.255.0' }],
  ipv6: [{ address: 'fe80::1', prefixLength: 64, origin: 'LinkLocal' }]
}
const { hasLldp, ...plain } = port
const neighbour: LldpInformation = {
  chassisId: { kind: 'local', value: 'a' },
  portId: { kind: 'interfaceName', value: 'ge-0/0/17' },
  ttl: 120,
  managementAddresses: [{ family: 'MAC', address: '8C:12:C2:0A:41:51' }]
}
const lldpNeighbour = () => undefined
const show = (enabled: boolean, heard?: LldpInformation, state = port) =>
  GET(context({ params, port: state, tables: { lldp: { '1/1': { enabled } } }, lldpNeighbour: () => heard }))

t.test('a controller leads to its ports', async (t) => {
  t.match(manager(context({ params: { ManagerId: '1' } })), {
    DedicatedNetworkPorts: { '@odata.id': /DedicatedNetworkPorts/ }
  })
  t.same(list(context({ uri, params })).Members, [{ '@odata.id': `${uri}/1/` }])
  t.ok(hasLldp)
})

t.test('a port links its metrics, which are counted anew for each answer', async (t) => {
  const portCounters = {
    ...{ receivedBytes: 1, receivedFrames: 2, receivedErrors: 3, receivedDiscards: 4 },
    ...{ sentBytes: 5, sentFrames: 6, sentErrors: 7, sentDiscards: 8 }
  }
  const shown = GET(context({ uri: `${uri}/1`, params, port, lldpNeighbour }))
  t.same(shown.Metrics, { '@odata.id': `${uri}/1/Metrics/` })
  const { context: given, basis } = withBasis({ params, portCounters })
  t.match(metrics(given), { RXBytes: 1, TXErrors: 7, Networking: { RXFrames: 2, TXDiscards: 8 } })
  t.equal(basis.volatile, 'clock')
  t.same(await refusal(() => metrics(context({ params: { ...params, PortId: '7' } }))), missing)
})

t.test('a port says how its link is, and LLDP is off until it is enabled', async (t) => {
  t.match(GET(context({ params, port, lldpNeighbour })), {
    CurrentSpeedGbps: 1,
    LinkStatus: 'LinkUp',
    PortId: '1',
    PortProtocol: 'Ethernet'
  })
  t.same(GET(context({ params, port, lldpNeighbour })).Ethernet, {
    AssociatedMACAddresses: [port.mac],
    LLDPEnabled: false
  })
  t.same(show(false, neighbour).Ethernet, { AssociatedMACAddresses: [port.mac], LLDPEnabled: false })
})

t.test('an enabled port shows the values that it sends and those of its neighbour', async (t) => {
  t.same(show(true).Ethernet, {
    AssociatedMACAddresses: [port.mac],
    LLDPEnabled: true,
    LLDPTransmit: {
      ...{ ChassisId: port.mac, ChassisIdSubtype: 'MacAddr', PortId: port.mac, PortIdSubtype: 'MacAddr' },
      ...{ ManagementAddressIPv4: '192.0.2.80', ManagementAddressIPv6: 'fe80::1', SystemCapabilities: ['Station'] },
      ...{ SystemDescription: 'Mgmt 6 1.62', SystemName: 'mc-sim2510a7k.example.net' }
    }
  })
  t.same(show(true, neighbour).Ethernet?.LLDPReceive, {
    ...{ ChassisId: 'a', ChassisIdSubtype: 'LocalAssign', PortId: 'ge-0/0/17', PortIdSubtype: 'IfName' },
    ManagementAddressMAC: '8C:12:C2:0A:41:51'
  })
})

t.test('it is enabled where the board has it', async (t) => {
  const change = (state: PortState) =>
    PATCH(context({ params, port: state, body: { Ethernet: { LLDPEnabled: true } } }))
  t.same((await change(port)).writes, { lldp: { '1/1': { enabled: true } } })
  t.same((await PATCH(context({ params, port, body: {} }))).writes, {})
  t.same(await badRequest(() => change(plain)), [['Base.PropertyNotWritable', 'Ethernet/LLDPEnabled']])
  t.same(show(true, neighbour, plain).Ethernet, { AssociatedMACAddresses: [port.mac] })
})

t.test('an unknown port is 404; changes take the privilege for the controller', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ManagerId: '1', PortId: '2' }, lldpNeighbour }))), missing)
  t.same(await refusal(() => GET(context({ params: { ManagerId: '2', PortId: '1' }, lldpNeighbour }))), missing)
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
