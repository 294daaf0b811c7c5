import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Oem/Vendor/VendorMgmt.ClearRestApiState.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('it waits for a reset of the controller', async (t) => {
  const outcome = await POST(context({ params, body: {} }))
  t.equal(outcome.events, undefined, 'it is told when it is done')
  t.match(outcome, {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { controllerPending: { ClearRestApiState: { user: 'admin' } } }
  })
})

t.test('there is no other manager', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
