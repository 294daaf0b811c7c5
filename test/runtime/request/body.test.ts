import t from 'tap'
import { parseBody } from '#runtime/request/body.ts'
import { faults } from './faults.ts'

const limits = { jsonDepth: 4, jsonValues: 20 }
const bytes = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => faults(() => parseBody(bytes(text), limits))
const malformed = [400, ['Base.MalformedJSON']]

t.test('an object is read as JSON says', async (t) => {
  t.same(parse('{"A":1.5e1,"B":[true,null,"\\u00e9"],"C":{}}'), { returned: { A: 15, B: [true, null, 'é'], C: {} } })
  t.same(parse(' \r\n\t{"A":"ü€😀"} '), { returned: { A: 'ü€😀' } })
})

t.test('a byte order mark is ignored', async (t) => {
  t.same(
    faults(() => parseBody(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('{"A":1}')]), limits)),
    { returned: { A: 1 } }
  )
  t.same(parse('\ufeff\ufeff{"A":1}'), malformed, 'a second one')
})

t.test('a body of nothing but white space is no body', async (t) => {
  t.same(parse(''), { returned: undefined })
  t.same(parse(' \r\n'), { returned: undefined })
})

t.test('a body that is not JSON is malformed', async (t) => {
  for (const text of [
    '{',
    '}',
    '{"A":1,}',
    "{'A':1}",
    '{"A":01}',
    '{"A":1}x',
    '{"A":"\n"}',
    '{"A":NaN}',
    '"',
    '\u00a0',
    '{"A":"\\'
  ])
    t.same(parse(text), malformed, text)
})

t.test('a NUL byte is malformed, inside and outside of a string', async (t) => {
  t.same(parse('{"A":"x\0y"}'), malformed)
  t.same(parse('{"A":1}\0'), malformed)
  t.same(parse('\0'), malformed)
})

t.test('bytes that are not UTF-8 are malformed', async (t) => {
  for (const wrong of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80]]) {
    const body = new Uint8Array([...bytes('{"A":"'), ...wrong, ...bytes('"}')])
    t.same(
      faults(() => parseBody(body, limits)),
      malformed,
      wrong.join(' ')
    )
  }
})

t.test('JSON that is no object is not a body', async (t) => {
  for (const text of ['[]', '[{"A":1}]', '1', '"A"', 'null', 'true'])
    t.same(parse(text), [400, ['Base.UnrecognizedRequestBody']], text)
})

t.test('values nest as deep as the limit and no deeper', async (t) => {
  t.same(parse('{"A":[[{}]]}'), { returned: { A: [[{}]] } })
  t.same(parse('{"A":[[[{}]]]}'), malformed)
  t.same(parse('{"A":"[[[[[[{{{{","B":"\\"[[[[[["}'), { returned: { A: '[[[[[[{{{{', B: '"[[[[[[' } })
})

t.test('a backslash at the end of a string does not hide the rest', async (t) => {
  t.same(parse('{"A":"\\\\","B":[[[[]]]]}'), malformed)
  t.same(parse('{"A":"\\\\\\"[[[[","B":[]}'), { returned: { A: '\\"[[[[', B: [] } })
  t.same(parse(`{"A":"${'\\"'.repeat(50_000)}"}`), { returned: { A: '"'.repeat(50_000) } })
})

t.test('a million brackets are refused without recursion', async (t) => {
  t.same(parse('['.repeat(1_000_000)), malformed)
  t.same(parse('{"A":'.repeat(200_000)), malformed)
})

t.test('there are as many values as the limit and no more', async (t) => {
  const many = (count: number) => `{"A":[${Array(count).fill(0).join(',')}]}`
  t.match(parse(many(19)), { returned: {} })
  t.same(parse(many(20)), malformed)
  t.same(parse(`{"A":"${','.repeat(100)}"}`), { returned: { A: ','.repeat(100) } })
})

t.test('of a duplicate name the last value is used', async (t) => {
  t.same(parse('{"A":1,"A":2}'), { returned: { A: 2 } })
})

t.test('a member named __proto__ changes no prototype', async (t) => {
  const body = parseBody(bytes('{"__proto__":{"admin":true}}'), limits) ?? {}
  t.equal(Object.getPrototypeOf(body), Object.prototype)
  t.equal((body as { admin?: boolean }).admin, undefined)
  t.same(Object.keys(body), ['__proto__'])
})
