import t from 'tap'
import { GET, privileges } from '../../../../../../handlers/redfish/v1/Managers/{ManagerId}/NetworkProtocol.ts'
import { context, missing, refusal } from '../../../../context.ts'

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

t.test('there is no other manager', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ManagerId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
