import t from 'tap'
import { parseFilter } from '#runtime/request/filter.ts'

const system = {
  Name: "O'Hara",
  Count: 2,
  Ratio: -0.5,
  On: true,
  Tag: null,
  Status: { Health: 'OK', State: 'Enabled' },
  Order: ['Boot0001', 'Boot0002'],
  Created: '2024-05-01T12:00:00Z',
  '@odata.id': '/s/'
}

const holds = (text: string, depth = 4) => parseFilter(text, depth)?.(system)

t.test('comparisons hold or do not', async (t) => {
  const expressions: [string, boolean][] = [
    ['Count eq 2', true],
    ['Count ne 2', false],
    ['Count gt 1', true],
    ['Count gt 2', false],
    ['Count ge 2', true],
    ['Count lt 2', false],
    ['Count le 2', true],
    ['2 eq Count', true],
    ['Ratio lt 0', true],
    ['Ratio eq -5e-1', true],
    ['On eq true', true],
    ['On eq false', false],
    ["Name eq 'O''Hara'", true],
    ["Name eq ''", false],
    ["Name gt 'A'", true],
    ["Status/Health eq 'OK'", true],
    ["Order/1 eq 'Boot0002'", true],
    ["@odata.id eq '/s/'", true],
    ['Tag eq null', true],
    ['Tag ne null', false],
    ['Missing eq null', true],
    ['Missing/Deeper eq null', true],
    ["Missing eq 'x'", false],
    ["Missing ne 'x'", true],
    ['Missing lt 1', false],
    ['Missing ge 1', false],
    ["Count eq '2'", false],
    ["Count lt '3'", false],
    ['Status eq null', false],
    ['constructor eq null', true],
    ['Name/length eq null', true]
  ]
  for (const [text, expected] of expressions) t.equal(holds(text), expected, text)
})

t.test('times are compared as points in time, quoted or not', async (t) => {
  t.equal(holds("Created eq '2024-05-01T14:00:00+02:00'"), true)
  t.equal(holds('Created lt 2024-05-01T12:00:00.5Z'), true)
  t.equal(holds('Created gt 2024-05-01T13:00:00Z'), false)
})

t.test('not binds tighter than and, and that tighter than or', async (t) => {
  t.equal(holds('Count eq 2 or Count eq 1 and On eq false'), true)
  t.equal(holds('(Count eq 2 or Count eq 1) and On eq false'), false)
  t.equal(holds('not Count eq 1 and On eq true'), true)
  t.equal(holds('not (Count eq 2 and On eq true)'), false)
  t.equal(holds('not not Count eq 2'), true)
  t.equal(holds("((Count eq 2)and(Name ne 'x'))"), true)
})

t.test('a malformed $filter expression is refused', async (t) => {
  const wrong = [
    '',
    ' ',
    'Count',
    'Count eq',
    'eq 2',
    'Count eq 2 2',
    'Count eq 2 and',
    'Count eq 2 and or On eq true',
    'Count == 2',
    'Count like 2',
    'Count EQ 2',
    '(Count eq 2',
    'Count eq 2)',
    '()',
    "Name eq 'open",
    "Name eq 'a'b'",
    'Status//Health eq 1',
    '/Count eq 2',
    'not',
    'Count eq (2)',
    'Count toString 2'
  ]
  for (const text of wrong) t.equal(parseFilter(text, 4), undefined, text)
})

t.test('parentheses and not nest as deep as allowed and no deeper', async (t) => {
  t.equal(holds('((Count eq 2))', 2), true)
  t.equal(holds('(((Count eq 2)))', 2), undefined)
  t.equal(holds('not (not Count eq 2)', 3), true)
  t.equal(holds('not (not Count eq 2)', 2), undefined)
  t.equal(holds('(Count eq 2) and (Count eq 2) and (Count eq 2)', 1), true)
})

t.test('a long row of brackets or terms ends in an answer', async (t) => {
  t.equal(holds('('.repeat(8000)), undefined)
  t.equal(holds('not '.repeat(2000)), undefined)
  t.equal(holds(`Count eq 2${' and Count eq 2'.repeat(500)}`), true)
  t.equal(holds(`Name eq ${"'".repeat(8001)}`), undefined)
  t.equal(holds(`${' '.repeat(8000)}`), undefined)
})
