import t from 'tap'
import type { Board } from '#data/board'
import qemu from '#data/boards/qemu.json' with { type: 'json' }
import {
  GET,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/EthernetInterfaces/{EthernetInterfaceId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a port without a cable has no speed', async (t) => {
  t.match(GET(context({ params: { ComputerSystemId: '1', EthernetInterfaceId: '2' } })), {
    MACAddress: '8C:12:C2:0A:41:52',
    IPv4Addresses: [],
    FQDN: null,
    HostName: null,
    NameServers: [],
    LinkStatus: 'LinkDown',
    SpeedMbps: null
  })
})

t.test('an interface whose port lost its link has none', async (t) => {
  const port = '/redfish/v1/Chassis/1/NetworkAdapters/nic-1/Ports/1'
  const show = (EthernetInterfaceId: string, condition: { readonly [key: string]: { origin: string } }) =>
    GET(context({ params: { ComputerSystemId: '1', EthernetInterfaceId }, tables: { condition } }))
  t.match(show('1', {}), { LinkStatus: 'LinkUp', SpeedMbps: 25_000 })
  t.match(show('1', { [`${port}#down`]: { origin: port } }), { LinkStatus: 'LinkDown', SpeedMbps: null })
  const other = port.replace(/1$/, '2')
  t.match(show('1', { [`${other}#down`]: { origin: other } }), { LinkStatus: 'LinkUp' })
})

t.test('an interface of a machine without network adapters has the link of the board', async (t) => {
  const params = { ComputerSystemId: '1', EthernetInterfaceId: '1' }
  t.match(GET(context({ board: qemu as Board, params })), { LinkStatus: 'LinkUp', SpeedMbps: 1000 })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ComputerSystemId: '1', EthernetInterfaceId: '3' },
    { ComputerSystemId: '2', EthernetInterfaceId: '1' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
