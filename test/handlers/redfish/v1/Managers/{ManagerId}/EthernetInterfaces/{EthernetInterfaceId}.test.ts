import t from 'tap'
import {
  GET,
  privileges
} from '../../../../../../../handlers/redfish/v1/Managers/{ManagerId}/EthernetInterfaces/{EthernetInterfaceId}.ts'
import { context, missing, refusal } from '../../../../../context.ts'

t.test('a port of the controller has its addresses and the name of the controller', async (t) => {
  t.match(GET(context({ params: { ManagerId: '1', EthernetInterfaceId: '1' } })), {
    FQDN: 'mc-sim2510a7k.example.net',
    HostName: 'mc-sim2510a7k',
    IPv4Addresses: [{ Address: '192.0.2.16', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }],
    IPv6Addresses: [{ Address: /^fe80:/, PrefixLength: 64 }],
    LinkStatus: 'LinkUp',
    SpeedMbps: 1000
  })
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
