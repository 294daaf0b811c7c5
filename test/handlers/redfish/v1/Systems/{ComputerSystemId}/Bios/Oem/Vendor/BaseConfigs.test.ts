import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Oem/Vendor/BaseConfigs.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/Bios/Oem/Vendor/BaseConfigs'

t.test("the maker's defaults and the user's are base configurations", async (t) => {
  t.same(GET(context({ params: { ComputerSystemId: '1' }, uri })).Members, [
    { '@odata.id': `${uri}/default/` },
    { '@odata.id': `${uri}/default.user/` }
  ])
})

t.test('only of a system', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
  t.same(privileges, { GET: 'LoginPriv' })
})
