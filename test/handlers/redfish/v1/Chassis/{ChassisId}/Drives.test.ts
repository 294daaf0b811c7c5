import t from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET } from '#handlers/redfish/v1/Chassis/{ChassisId}/Drives.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a chassis lists the drives of its systems, where their storage has them', async (t) => {
  const members = Object.entries(sim.systems[1].storage).flatMap(([storage, { drives }]) =>
    Object.keys(drives).map((id) => ({ '@odata.id': `/redfish/v1/Systems/1/Storage/${storage}/Drives/${id}/` }))
  )
  t.same(GET(context({ params: { ChassisId: '1' } })).Members, members)
  t.same(await refusal(() => GET(context({ params: { ChassisId: '2' } }))), missing)
})
