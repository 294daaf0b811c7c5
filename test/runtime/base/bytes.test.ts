import t from 'tap'
import {
  bytes,
  concatenated,
  hex,
  isBase64,
  sameBytes,
  strictUtf8Text,
  utf8,
  utf8Text,
  viewOf
} from '#runtime/base/bytes.ts'

t.test('every byte is two hex digits, and is read from them', async (t) => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  t.equal(hex(all), Buffer.from(all).toString('hex'))
  t.same(bytes(hex(all)), all)
  t.same(bytes(hex(all).toUpperCase()), all)
  t.equal(hex(new Uint8Array()), '')
  t.equal(bytes('').length, 0)
})

t.test('base64 has all of its characters and its padding', async (t) => {
  for (const text of ['', 'AA==', 'AAA=', 'AAAA', '+/+/AA==']) t.ok(isBase64(text), text)
  for (const text of ['A', 'AA', 'AAA', 'A===', 'AA=A', 'AA-_', 'AA==AA==', 'AAAA\n']) t.notOk(isBase64(text), text)
})

t.test('text becomes UTF-8 and is read from it, strictly or with replacement characters', async (t) => {
  t.equal(utf8Text(utf8('naïve')), 'naïve')
  t.equal(utf8Text(), '')
  t.equal(utf8Text(Uint8Array.of(0xff)), '\ufffd')
  t.throws(() => strictUtf8Text(Uint8Array.of(0xff)), TypeError)
})

t.test('bytes are concatenated, compared, and read at offsets of their own', async (t) => {
  const whole = concatenated([Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2, 3)])
  t.same(whole, Uint8Array.of(1, 2, 3))
  t.ok(sameBytes(whole.subarray(1), Uint8Array.of(2, 3)))
  t.notOk(sameBytes(whole, Uint8Array.of(1, 2, 4)))
  t.notOk(sameBytes(whole, Uint8Array.of(1, 2)))
  t.equal(viewOf(whole.subarray(1)).getUint16(0), 0x0203)
})
