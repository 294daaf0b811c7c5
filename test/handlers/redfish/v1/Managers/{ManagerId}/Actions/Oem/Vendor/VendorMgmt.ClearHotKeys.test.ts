import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Oem/Vendor/VendorMgmt.ClearHotKeys.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('no hot key sends anything any more', async (t) => {
  t.match(await POST(context({ params, body: {} })), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    writes: { manager: { 1: { hotKeys: { CtrlT: [], CtrlU: [], CtrlV: [], CtrlW: [], CtrlX: [], CtrlY: [] } } } },
    events: [{ message: { key: 'MgmtEvents.HotKeysCleared', args: ['admin'] } }]
  })
})

t.test('there is no other manager', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
