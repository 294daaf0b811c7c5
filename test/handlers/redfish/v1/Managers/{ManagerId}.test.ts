import t from 'tap'
import { GET, privileges } from '../../../../../handlers/redfish/v1/Managers/{ManagerId}.ts'
import { context, missing, refusal } from '../../../context.ts'

const uri = '/redfish/v1/Managers/1'

t.test('a manager says what it is, what time it is and what it manages', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1' }, now: '2025-02-03T04:05:06Z' })), {
    ManagerType: 'BMC',
    Model: 'Mgmt 6',
    FirmwareVersion: '1.62',
    DateTime: '2025-02-03T04:05:06.000Z',
    DateTimeLocalOffset: '+00:00',
    Links: {
      ManagerForServers: [{ '@odata.id': '/redfish/v1/Systems/1/' }],
      ManagerForChassis: [
        { '@odata.id': '/redfish/v1/Chassis/1/' },
        { '@odata.id': '/redfish/v1/Chassis/enclosurechassis/' }
      ]
    }
  })
})

t.test('a manager links what it has', async (t) => {
  t.match(GET(context({ uri, params: { ManagerId: '1' } })), {
    EthernetInterfaces: { '@odata.id': `${uri}/EthernetInterfaces/` },
    LogServices: { '@odata.id': `${uri}/LogServices/` },
    NetworkProtocol: { '@odata.id': `${uri}/NetworkProtocol/` },
    VirtualMedia: { '@odata.id': `${uri}/VirtualMedia/` },
    Oem: { Vendor: { Links: { DateTimeService: { '@odata.id': `${uri}/DateTime/` } } } }
  })
})

t.test('the reset is offered where it is', async (t) => {
  t.same(GET(context({ uri, params: { ManagerId: '1' } })).Actions?.['#Manager.Reset'], {
    target: `${uri}/Actions/Manager.Reset/`,
    'ResetType@Redfish.AllowableValues': ['ForceRestart', 'GracefulRestart']
  })
})

t.test('there is no other manager', async (t) => {
  for (const ManagerId of ['2', 'constructor']) {
    t.same(await refusal(() => GET(context({ params: { ManagerId } }))), missing)
  }
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
