import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Oem/Vendor/VendorMgmt.RequestFirmwareAndOsRecovery.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('each managed host waits to be recovered', async (t) => {
  t.match(await POST(context({ params, body: {} })), {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { hostPending: { 1: { recovery: true } } },
    events: [{ message: { key: 'MgmtEvents.RecoveryRequested', args: ['admin'] } }]
  })
})

t.test('there is no other manager', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: { all: ['MgmtConfigPriv', 'SystemRecoveryConfigPriv'] } })
})
