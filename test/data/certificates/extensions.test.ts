import t from 'tap'
import { keyUsageBits } from '#data/certificates'
import { hex } from '#runtime/base/bytes.ts'

t.test('a key usage is a list of bits that ends with the last that is set', async (t) => {
  for (const [bits, bytes] of [
    [[0], '03020780'],
    [[0, 2], '030205a0'],
    [[7], '03020001'],
    [[8], '0303070080'],
    [[5, 6], '03020106']
  ] as const)
    t.equal(hex(keyUsageBits(bits)), bytes, String(bits))
})
