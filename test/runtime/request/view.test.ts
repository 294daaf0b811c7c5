import t from 'tap'
import type { Machine, State } from '#runtime/contract'
import { withBasis } from '#test/handlers/context.ts'

t.test('a variable that waits to be written or deleted counts as if it were', async (t) => {
  const guid = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
  const variables = { [`${guid}/Boot0001`]: { attributes: 7, data: Uint8Array.of(1) } }
  const variable = { [`1/${guid}/Boot0001`]: { data: null }, [`1/${guid}/Boot0002`]: { attributes: 7, data: '02' } }
  const { machine } = withBasis({ variables, tables: { variable } }).context
  t.same(machine.variables('1', guid), ['Boot0002'])
  t.equal(machine.variable('1', 'Boot0001', guid), undefined)
})

t.test('an answer depends on each record and device that its handler read', async (t) => {
  const guid = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
  const tables = { chassis: { 1: { assetTag: 'rack 7' } }, variable: { [`1/${guid}/Boot0001`]: { data: null } } }
  const reads: [(given: { machine: Machine; state: State }) => unknown, ...string[]][] = [
    [({ state }) => state.get('chassis', '1'), 'chassis/1'],
    [({ state }) => state.get('chassis', '2'), 'chassis/'],
    [({ state }) => state.keys('chassis'), 'chassis/'],
    [({ machine }) => machine.power('1'), 'power/1'],
    [({ machine }) => machine.bootProgress('1'), 'bootProgress/1'],
    [({ machine }) => machine.indicator('1'), 'indicator/1'],
    [({ machine }) => machine.port('1', '2'), 'port/1/2'],
    [({ machine }) => machine.firmware('BIOS-1'), 'firmware/BIOS-1'],
    [({ machine }) => machine.nvram('1'), 'nvram/1'],
    [({ machine }) => machine.variable('1', 'Lang', guid), 'variable/', 'nvram/1'],
    [({ machine }) => machine.variables('1', guid), 'nvram/1', 'variable/', `variable/1/${guid}/Boot0001`],
    [({ machine }) => machine.reading('1', 7), 'readings/1'],
    [({ machine }) => machine.noticesPowerLoss('1')],
    [({ machine }) => machine.watchdog('1')]
  ]
  for (const [read, ...paths] of reads) {
    const { context, basis } = withBasis({ tables })
    read(context)
    t.same([...basis.revisions.keys()], paths, String(read))
  }
})
