import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.ServerSafeMode.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

t.test('the mode waits for the next reset, and the event says who asked for it', async (t) => {
  t.match(await POST(context({ params, body: {} })), {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { hostPending: { 1: { mode: 'SafeMode' } } },
    events: [
      { message: { key: 'MgmtEvents.SafeModeRequested', args: ['1', 'admin'] }, origin: '/redfish/v1/Systems/1' }
    ]
  })
})

t.test('there is no other system', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'HostBIOSConfigPriv' })
})
