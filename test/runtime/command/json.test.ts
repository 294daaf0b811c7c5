import t from 'tap'
import { lineOf, linesOf, parseJson } from '#runtime/command/json.ts'

const text = `{
  "a": { "b": [1, { "c": "}" },
    { "c": 2, "d,\\"": null }] },
  "e": "x"
}
`

t.test('the line of a member is found by its path', async (t) => {
  t.doesNotThrow(() => JSON.parse(text))
  for (const [path, line] of [
    ['a', 2],
    ['a.b.1.c', 2],
    ['a.b.2.c', 3],
    ['a.b.2.d,"', 3],
    ['e', 4],
    ['a.b.3.c', 2],
    ['a.b.2.f', 3],
    ['f', undefined],
    ['', undefined]
  ] as const)
    t.equal(lineOf(text, path.split('.')), line, path)
})

t.test('the lines of the elements of a list are found', async (t) => {
  t.same(linesOf(text, ['a', 'b']), [2, 2, 3])
  t.same(linesOf('[\n[\n1], 2,\n\n{"a":\n[3] }]', []), [2, 3, 5])
  t.same(linesOf(text, ['e']), [])
})

t.test('a file that ends too early is incomplete', async (t) => {
  t.same(parseJson('[1]'), [1])
  for (const [part, line] of [
    ['{\n"a": 1', 2],
    ['{\n\n"a', 3],
    ['[[\n]', 2],
    ['{"a": "{', 1],
    ['', 1]
  ] as const)
    t.throws(() => parseJson(part), { message: `it is incomplete, and ends in line ${line}` })
  for (const wrong of ['x', '{"a": 1,}', '[1]]', '{ a: 1 }'])
    t.throws(() => parseJson(wrong), { name: 'SyntaxError' }, wrong)
})
