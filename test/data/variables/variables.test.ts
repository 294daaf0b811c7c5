import t from 'tap'
import { bootNumbers, mergedBootOrder } from '#data/variables'

t.test('boot options are 16-bit numbers, little endian', async (t) => {
  t.same(bootNumbers(['Boot0004', 'Boot12AB']), Uint8Array.of(4, 0, 0xab, 0x12))
})

t.test('an order that waited takes what the host has put into its own since, and not what it had before', async (t) => {
  const order = bootNumbers(['Boot0002', 'Boot0001'])
  const present = bootNumbers(['Boot00F0', 'Boot0001', 'Boot0002', 'Boot12AB'])
  const before = bootNumbers(['Boot0001', 'Boot00F0'])
  t.same(mergedBootOrder(order, present, before), bootNumbers(['Boot0002', 'Boot0001', 'Boot12AB']))
  t.same(mergedBootOrder(order, undefined, before), order)
  t.same(mergedBootOrder(order, Uint8Array.of(9)), order, 'half a number is none')
})
