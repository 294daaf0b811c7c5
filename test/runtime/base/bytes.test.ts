import t from 'tap'
import { bytes, hex } from '#runtime/base/bytes.ts'

t.test('every byte is two digits, and comes back from them', async (t) => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  t.equal(hex(all), Buffer.from(all).toString('hex'))
  t.same(bytes(hex(all)), all)
  t.same(bytes(hex(all).toUpperCase()), all)
  t.equal(hex(new Uint8Array()), '')
  t.equal(bytes('').length, 0)
})
