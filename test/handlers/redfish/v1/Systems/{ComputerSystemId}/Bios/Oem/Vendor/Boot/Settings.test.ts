import t from 'tap'
import {
  GET,
  PATCH,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Oem/Vendor/Boot/Settings.ts'
import { GET as current } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Oem/Vendor/Boot.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

t.test('the pending order is the current one, and takes a new one', async (t) => {
  const { Name, PersistentBootConfigOrder = [], BootSources } = GET(context({ params }))
  t.match(Name, /Pending Settings$/)
  t.match(current(context({ params })), { Name: /Current Settings$/, BootSources, PersistentBootConfigOrder })
  const body = { PersistentBootConfigOrder: PersistentBootConfigOrder.toReversed() }
  const { writes } = await PATCH(context({ params, body }))
  t.equal(writes?.system?.['1']?.bootOrder?.at(-1), 'Boot0000')
})

t.test('only of a system', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' })
})
