import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Oem/Vendor/VendorMgmt.ResetToFactoryDefaults.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test("the controller restarts, and the pending reset restores the factory's state", async (t) => {
  t.match(await POST(context({ params, body: { ResetType: 'Default' } })), {
    status: 200,
    messages: [{ key: 'Mgmt.ResetInProgress' }],
    writes: { controllerPending: { ResetToFactoryDefaults: { user: 'admin' } } },
    commands: [{ kind: 'restart' }],
    events: [{ message: { key: 'MgmtEvents.ControllerResetRequested', args: ['admin'] } }]
  })
})

t.test('there is no other manager', async (t) => {
  t.same(
    await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body: { ResetType: 'Default' } }))),
    missing
  )
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
