import t from 'tap'
import { bootAttribute, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { attributesText, printable, variableText } from '#hal/uefi/rendering.ts'
import { hashTypes, signatureListBytes, withSignature, x509Type } from '#hal/uefi/signature-list.ts'
import { bootOrder, bootVariable, secureBootVariables } from '#hal/uefi/variables.ts'
import { variable } from '#test/hal/contracts/nvram.ts'

const owner = '4f1a6c1e-93d2-4b1f-8d5a-6f0d3c2b1a90'

t.test('attributes are shown by two letters each', async (t) => {
  t.equal(attributesText(0x07), 'NV+BS+RT')
  t.equal(attributesText(0x27), 'NV+BS+RT+AT')
})

t.test('the entries of a signature database are counted by their types', async (t) => {
  const { type } = hashTypes.EFI_CERT_SHA256_GUID
  const entries = [
    { type: x509Type, owner, data: new Uint8Array(700) },
    { type, owner, data: new Uint8Array(32) },
    { type, owner, data: new Uint8Array(32).fill(1) }
  ]
  const data = signatureListBytes(entries.reduce<ReturnType<typeof withSignature>>(withSignature, []))
  t.equal(variableText({ ...secureBootVariables.dbx, data }), '1 EFI_CERT_X509_GUID, 2 EFI_CERT_SHA256_GUID')
  t.equal(variableText({ ...secureBootVariables.dbx, data: data.subarray(0, 3) }), 'a159c0', 'or digits')
})

t.test('boot options are shown with their paths, and the order by their names', async (t) => {
  const data = writeBootOption({
    attributes: bootAttribute.active,
    description: 'Shell',
    devicePath: Uint8Array.of(1, 1, 6, 0, 2, 3, 0x7f, 0xff, 4, 0),
    optionalData: new Uint8Array()
  })
  t.equal(variableText({ ...bootVariable(0xb00), data }), 'Shell: Pci(0x3,0x2)')
  t.equal(variableText({ ...bootOrder, data: writeBootNumbers([10, 1]) }), 'Boot000A Boot0001')
})

t.test('text is shown as text, long text cut; everything else as hex digits', async (t) => {
  t.equal(variableText(variable('Lang', 'eng\0')), 'eng')
  t.equal(variableText(variable('Long', 'x'.repeat(5000))), `${'x'.repeat(99)}…`)
  t.equal(variableText(variable('Bytes', 'a\u0001')), '6101')
  t.equal(variableText(variable('One', 'a')), '61')
  t.equal(variableText(variable('Many', new Uint8Array(100))), `${'00'.repeat(32)}…`)
})

t.test('nothing that a terminal acts upon is shown', async (t) => {
  t.equal(printable('a\tb\u001b[0m\u009b\u202e'), 'a\\u0009b\\u001b[0m\\u009b\\u202e')
  t.equal(printable('Größe'), 'Größe')
})
