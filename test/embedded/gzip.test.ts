import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { gunzipSync as fflate } from 'fflate'
import t from 'tap'
import { dropIn, passesUnderSanitizers, sanitized, skip } from './dropIn.ts'

const { gunzipSync } = skip
  ? { gunzipSync: fflate }
  : ((await dropIn('fflate', 'gzip')) as { gunzipSync: typeof fflate })

/** A copy of the bytes without slack behind them, so that a read beyond the end is seen. */
const exact = (bytes: Uint8Array) => new Uint8Array(bytes)
const text = exact(
  Buffer.from(JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ AttributeName: `Name${n * n}` }))))
)
const packed = exact(gzipSync(text))

t.test('a file of gzip is unpacked, an empty one too', { skip }, async (t) => {
  t.same(gunzipSync(packed), text)
  t.same(gunzipSync(exact(gzipSync(new Uint8Array()))), new Uint8Array())
})

t.test('a file that is cut off at any byte, or has extra bytes, is refused', { skip }, async (t) => {
  for (let length = 0; length < packed.length; length++) t.throws(() => gunzipSync(packed.slice(0, length)))
  t.throws(() => gunzipSync(Uint8Array.of(...packed, 0)))
  t.throws(() => gunzipSync(Uint8Array.of(...packed, ...packed)))
})

t.test('a changed byte is detected, except in header fields that do not affect the content', { skip }, async (t) => {
  for (let at = 0; at < packed.length; at++) {
    for (const bit of [1, 0x80]) {
      const damaged = packed.slice()
      damaged[at]! ^= bit
      if ((at >= 4 && at < 10) || (at === 3 && bit === 1)) t.same(gunzipSync(damaged), text)
      else t.throws(() => gunzipSync(damaged), `byte ${at}`)
    }
  }
})

t.test('a length that nothing can have been packed from takes no memory', { skip }, async (t) => {
  const greedy = packed.slice()
  greedy.fill(0xff, -4)
  t.throws(() => gunzipSync(greedy))
})

if (!sanitized) {
  t.test('and with AddressSanitizer and UBSan', { skip }, async (t) =>
    passesUnderSanitizers(t, fileURLToPath(import.meta.url), /ok \d+ - a length that nothing can have been packed from/)
  )
}
