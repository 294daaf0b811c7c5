import t from 'tap'
import { arranged, exported, nextOrder } from '#runtime/page/rules/table.ts'

interface Part {
  readonly name: string
  readonly slots: number | null
}

const parts: readonly Part[] = [
  { name: 'DIMM 10', slots: 2 },
  { name: 'DIMM 9', slots: null },
  { name: 'Fan', slots: 1 }
]
const columns = [
  { head: 'Name', value: ({ name }: Part) => name },
  { head: 'Slots', value: ({ slots }: Part) => slots }
]
const names = (rows: readonly Part[]) => rows.map(({ name }) => name)

t.test('rows are sorted by a column, numbers in names as numbers, those without a value last', async (t) => {
  const by = (head: string, isDescending: boolean) => names(arranged(parts, columns, '', { head, isDescending }))
  t.same(by('Name', false), ['DIMM 9', 'DIMM 10', 'Fan'])
  t.same(by('Name', true), ['Fan', 'DIMM 10', 'DIMM 9'])
  t.same(by('Slots', false), ['Fan', 'DIMM 10', 'DIMM 9'])
  t.same(by('Slots', true), ['DIMM 10', 'Fan', 'DIMM 9'])
  t.same(by('Gone', true), names(parts))
})

t.test('rows are found by words of any of their values', async (t) => {
  t.same(names(arranged(parts, columns, 'dimm 2', undefined)), ['DIMM 10'])
  t.same(names(arranged(parts, columns, ' ', undefined)), names(parts))
})

t.test('the head of a column sorts upwards, downwards, and then not', async (t) => {
  const upwards = nextOrder(undefined, 'Name')
  const downwards = nextOrder(upwards, 'Name')
  t.same(
    [upwards, downwards].map((each) => each?.isDescending),
    [false, true]
  )
  t.equal(nextOrder(downwards, 'Name'), undefined)
  t.same(nextOrder(downwards, 'Slots'), { head: 'Slots', isDescending: false })
})

t.test('a table is exported under its heads', async (t) => {
  t.equal(exported(parts.slice(1), columns), 'Name,Slots\r\n"DIMM 9",\r\n"Fan",1\r\n')
})
