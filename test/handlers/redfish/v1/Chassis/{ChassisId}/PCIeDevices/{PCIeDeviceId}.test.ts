import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/PCIeDevices/{PCIeDeviceId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('a card shows its identity and its slot', async (t) => {
  t.match(GET(context({ params: { ChassisId: '1', PCIeDeviceId: 'raid-3' } })), {
    DeviceType: 'SingleFunction',
    Model: 'SR416i-o',
    PCIeInterface: { LanesInUse: 16, PCIeType: 'Gen4' },
    Slot: { Location: { PartLocation: { ServiceLabel: 'Slot 3' } }, PCIeType: 'Gen5' }
  })
})

t.test('there is no other', async (t) => {
  for (const params of [
    { ChassisId: '1', PCIeDeviceId: 'gpu-1' },
    { ChassisId: 'enclosurechassis', PCIeDeviceId: 'raid-3' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
