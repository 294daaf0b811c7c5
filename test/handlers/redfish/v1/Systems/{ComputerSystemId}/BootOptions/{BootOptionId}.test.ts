import t from 'tap'
import {
  GET,
  privileges
} from '../../../../../../../handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions/{BootOptionId}.ts'
import { context, missing, refusal } from '../../../../../context.ts'

const option = (BootOptionId: string, ComputerSystemId = '1') =>
  GET(context({ params: { ComputerSystemId, BootOptionId } }))

t.test('a boot option carries its structured name, its device path and its alias', async (t) => {
  t.match(option('Boot0004'), {
    Alias: 'Pxe',
    BootOptionReference: 'Boot0004',
    UefiDevicePath: /^PciRoot\(0x0\).*MAC\(8C12C20A4151,0x1\)\/IPv4/,
    Oem: { Vendor: { StructuredBootString: 'NIC.FlexLOM.1.1.IPv4' } }
  })
})

t.test('there are no options but those of the system', async (t) => {
  t.same(await refusal(() => option('Boot00FF')), missing)
  t.same(await refusal(() => option('boot0004')), missing, 'in the very case')
  t.same(await refusal(() => option('Boot0004', '2')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
