import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Oem/Vendor/VendorMgmt.EnableCloudConnect.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('the connection to the cloud is enabled', async (t) => {
  t.match(await POST(context({ params, body: {} })), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    writes: { manager: { 1: { cloudConnect: true } } },
    events: [{ message: { key: 'MgmtEvents.CloudConnectEnabled', args: ['admin'] } }]
  })
})

t.test('there is no other manager', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
