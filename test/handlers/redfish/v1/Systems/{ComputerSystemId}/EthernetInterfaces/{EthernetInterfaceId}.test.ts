import t from 'tap'
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
