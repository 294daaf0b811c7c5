import t from 'tap'
import { mergeArray } from '#runtime/contract'

t.test('elements take the places of the present ones, and what is not named is gone', async (t) => {
  t.same(mergeArray(['a', 'b', 'c'], ['x', 'y']), ['x', 'y'])
  t.same(mergeArray(['a'], ['x', 'y']), ['x', 'y'])
  t.same(mergeArray(['a'], []), [])
})

t.test('{} keeps the present element and null removes it', async (t) => {
  const patch = [{}, null, 'x'] as unknown as string[]
  t.same(mergeArray(['a', 'b', 'c'], patch), ['a', 'x'])
})

t.test('{} where there is no element keeps nothing', async (t) => {
  t.same(mergeArray(['a'], [{}, {}, 'x'] as unknown as string[]), ['a', 'x'])
})
