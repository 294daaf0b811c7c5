import t from 'tap'
import { bootNumbers, bootOrderData } from '#data/variables'

t.test('boot options are 16-bit numbers, little endian', async (t) => {
  t.same(bootNumbers(['Boot0004', 'Boot12AB']), Uint8Array.of(4, 0, 0xab, 0x12))
})

t.test("a boot order keeps the firmware's own options behind those that clients know", async (t) => {
  const present = bootNumbers(['Boot00F0', 'Boot0001', 'Boot0002', 'Boot12AB'])
  const order = ['Boot0002', 'Boot0001']
  t.same(bootOrderData(order, present), bootNumbers(['Boot0002', 'Boot0001', 'Boot00F0', 'Boot12AB']))
  t.same(bootOrderData(order, undefined), bootNumbers(order))
  t.same(bootOrderData(order, Uint8Array.of(9)), bootNumbers(order), 'half a number is none')
})
