import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Oem/Vendor/Mappings.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const attributes = { Slot1: true, Slot1Speed: 'Auto', Slot10: true, NetworkPort2Boot: 'Pxe', QuietBoot: true }
const tables = { biosCurrent: { 1: { attributes, passwords: {}, transferredAt: '', messages: [] } } }

t.test('a device has its attributes and its boot options', async (t) => {
  const shown = GET(context({ params: { ComputerSystemId: '1' }, tables })).BiosDeviceMappings ?? []
  const of = (name: string) => shown.find((each) => each.StructuredName === name)
  t.same(of('PCI.Slot.1')?.Attributes, ['Slot1', 'Slot1Speed'], 'and not those of slot 10')
  t.same(of('NIC.FlexLOM.1.2'), {
    StructuredName: 'NIC.FlexLOM.1.2',
    Attributes: ['NetworkPort2Boot'],
    BootOptions: ['Boot0006']
  })
})

t.test('only of a system', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
  t.same(privileges, { GET: 'LoginPriv' })
})
