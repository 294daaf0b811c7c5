import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/PCIeSlots.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a slot links the card that is in it', async (t) => {
  const { Slots = [] } = GET(context({ params: { ChassisId: '1' } }))
  t.equal(Slots.length, 5)
  t.match(Slots[2], {
    Lanes: 16,
    Location: { PartLocation: { ServiceLabel: 'Slot 3' } },
    Status: { State: 'Enabled' },
    Links: { PCIeDevice: [{ '@odata.id': '/redfish/v1/Chassis/1/PCIeDevices/raid-3/' }] }
  })
})

t.test('an empty slot says so', async (t) => {
  const { Slots = [] } = GET(context({ params: { ChassisId: '1' } }))
  t.same([Slots[1]?.Status, Slots[1]?.Links], [{ State: 'Absent' }, { PCIeDevice: [] }])
})

t.test('a chassis without slots has an empty list, and a missing chassis is 404', async (t) => {
  t.same(GET(context({ params: { ChassisId: 'enclosurechassis' } })).Slots, [])
  t.same(await refusal(() => GET(context({ params: { ChassisId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
