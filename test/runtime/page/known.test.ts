import t from 'tap'
import { Failure } from '#runtime/page/rules/failure.ts'
import { absent, fresh, type Known, loading, optional, partOf, together } from '#runtime/page/rules/known.ts'

const failure = new Failure(500, [])
const failed: Known<never> = { state: 'failed', failure }
const there = <T>(value: T): Known<T> => ({ state: 'there', value })

t.test(
  'a part of something is loading, failed or absent as the whole is, and absent where the whole lacks it',
  async (t) => {
    for (const known of [loading, failed, absent])
      t.equal(
        partOf(known, () => 1),
        known
      )
    t.same(
      partOf(there({ uri: '/x/' }), ({ uri }) => uri),
      there('/x/')
    )
    t.equal(
      partOf(there<{ uri?: string }>({}), ({ uri }) => uri),
      absent
    )
  }
)

t.test('several are there together when each of them is; one that failed is told first', async (t) => {
  t.same(together(there(1), there('a')), there([1, 'a']))
  t.equal(together(there(1), loading), loading)
  t.equal(together(loading, absent, failed), failed)
  t.same(together(there(1), optional<string>(absent)), there([1, undefined]))
})

t.test('nothing is concluded from the last value of what cannot be read any more', async (t) => {
  const old: Known<number> = { state: 'there', value: 1, failure }
  t.same(fresh(together(old, there(2))), failed)
  t.same(fresh(there(2)), there(2))
})
