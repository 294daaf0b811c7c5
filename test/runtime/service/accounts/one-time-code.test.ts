import t from 'tap'
import { algorithms, oneTimeCode } from '#runtime/service/accounts/one-time-code.ts'

/** RFC 6238, appendix B: the last six of the eight digits there. */
const vectors = {
  SHA1: ['287082', '081804', '050471', '005924', '279037', '353130'],
  SHA256: ['119246', '084774', '062674', '819424', '698825', '737706']
}
const times = [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000]
const keys = { SHA1: '12345678901234567890', SHA256: '12345678901234567890123456789012' }

for (const algorithm of Object.keys(algorithms) as (keyof typeof algorithms)[]) {
  t.test(`codes by ${algorithm} are those of RFC 6238`, async (t) => {
    const key = Buffer.from(keys[algorithm]).toString('hex')
    t.same(
      times.map((time) => oneTimeCode(key, Math.floor(time / 30), algorithm)),
      vectors[algorithm]
    )
  })
}
