import t from 'tap'
import { bootAttribute, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { globalGuid } from '#hal/uefi/variables.ts'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions/{BootOptionId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const option = (BootOptionId: string, ComputerSystemId = '1', variables = {}) =>
  GET(context({ params: { ComputerSystemId, BootOptionId }, variables }))

const order = (number: number) => ({ attributes: 7, data: writeBootNumbers([number]) })
const shell = {
  attributes: 7,
  data: writeBootOption({
    attributes: bootAttribute.active,
    description: 'Shell',
    devicePath: Uint8Array.of(1, 1, 6, 0, 2, 3, 0x7f, 0xff, 4, 0),
    optionalData: new Uint8Array()
  })
}

t.test('a boot option carries its structured name, its device path and its alias', async (t) => {
  t.match(option('Boot0004'), {
    Alias: 'Pxe',
    BootOptionReference: 'Boot0004',
    UefiDevicePath: /^PciRoot\(0x0\).*MAC\(8C12C20A4151,0x1\)\/IPv4/,
    Oem: { Vendor: { StructuredBootString: 'NIC.FlexLOM.1.1.IPv4' } }
  })
})

t.test('an option of the firmware shows its device path and its number', async (t) => {
  const variables = { [`${globalGuid}/BootOrder`]: order(0xb00), [`${globalGuid}/Boot0B00`]: shell }
  t.match(option('Boot0B00', '1', variables), {
    Alias: null,
    BootOptionReference: 'Boot0B00',
    DisplayName: 'Shell',
    UefiDevicePath: 'Pci(0x3,0x2)',
    Oem: { Vendor: { StructuredBootString: 'Unknown.Emb.1.2816' } }
  })
})

t.test("an option in the store takes precedence over the board's option of the same number", async (t) => {
  const variables = { [`${globalGuid}/Boot0004`]: shell }
  t.match(option('Boot0004', '1', variables), { Alias: null, DisplayName: 'Shell' })
})

t.test('a boot option that is cut off is 404', async (t) => {
  const torn = { attributes: 7, data: shell.data.subarray(0, 12) }
  const variables = { [`${globalGuid}/BootOrder`]: order(0xb00), [`${globalGuid}/Boot0B00`]: torn }
  t.same(await refusal(() => option('Boot0B00', '1', variables)), missing)
})

t.test('there are no options but those of the system', async (t) => {
  t.same(await refusal(() => option('Boot00FF')), missing)
  t.same(await refusal(() => option('boot0004')), missing, 'in the very case')
  t.same(await refusal(() => option('Boot0004', '2')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
