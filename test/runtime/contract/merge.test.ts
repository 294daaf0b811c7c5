import t from 'tap'
import { mergeArray } from '#runtime/contract'

t.test('elements replace the present ones by position, and the rest is removed', async (t) => {
  t.same(mergeArray(['a', 'b', 'c'], ['x', 'y']), ['x', 'y'])
  t.same(mergeArray(['a'], ['x', 'y']), ['x', 'y'])
  t.same(mergeArray(['a'], []), [])
})

t.test('{} keeps the present element and null removes it', async (t) => {
  const patch = [{}, null, 'x'] as unknown as string[]
  t.same(mergeArray(['a', 'b', 'c'], patch), ['a', 'x'])
})

t.test('{} at a position without an element adds nothing', async (t) => {
  t.same(mergeArray(['a'], [{}, {}, 'x'] as unknown as string[]), ['a', 'x'])
})
