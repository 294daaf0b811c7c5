import t from 'tap'
import { matchesHash, slowHash } from '#runtime/service/accounts/passwords.ts'

t.test('a hash has its iterations, a salt of 16 random bytes, and a key of 32', async (t) => {
  const [first, second] = [await slowHash('right', 10), await slowHash('right', 10)]
  for (const hash of [first, second]) t.match(hash, /^[^$]+\$10\$[0-9a-f]{32}\$[0-9a-f]{64}$/)
  t.not(first, second)
  t.same([await matchesHash('right', first), await matchesHash('wrong', first)], [true, false])
})
