import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}/Actions/Oem/Vendor/VendorMedia.EjectVirtualMedia.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', VirtualMediaId: '2' }
const medium = { image: 'https://files.example/boot.iso', inserted: true, writeProtected: true }

t.test('the drive is emptied', async (t) => {
  const tables = { virtualMedia: { '1/2': medium, '1/1': medium } }
  const { status, writes } = await POST(context({ params, tables, body: {} }))
  t.equal(status, 200)
  t.same(writes, { virtualMedia: { '1/2': null } })
})

t.test('there is nothing to take out of an empty one', async (t) => {
  const empty = { status: 409, messages: [['Mgmt.InvalidOperationForSystemState']] }
  t.same(await refusal(() => POST(context({ params, body: {} }))), empty)
})

t.test('there is no other drive', async (t) => {
  for (const other of [{ VirtualMediaId: '3' }, { ManagerId: '2' }]) {
    t.same(await refusal(() => POST(context({ params: { ...params, ...other }, body: {} }))), missing)
  }
})

t.test('it takes the privilege for virtual media', async (t) => {
  t.same(privileges, { POST: 'VirtualMediaPriv' })
})
