import t from 'tap'
import { POST, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Oem/Vendor/VendorMgmt.ClearNVRAM.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('the variables of each managed host wait to be cleared', async (t) => {
  t.match(await POST(context({ params, body: {} })), {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { hostPending: { 1: { clearing: 'AllButKeys' } } },
    events: [{ message: { key: 'MgmtEvents.FirmwareNvramClearRequested', args: ['admin'] } }]
  })
})

t.test('there is no other manager', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
