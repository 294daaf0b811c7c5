import t from 'tap'
import { appendEntries, clearLog } from '#data/logs'
import { context } from '#test/handlers/context.ts'

const log = 'Managers/1/EventLog'
const entry = {
  created: '2025-06-01T12:00:00.000Z',
  severity: 'OK',
  text: 'It rains.',
  messageId: 'Weather.1.0.Rain',
  args: []
} as const
const key = (number: number) => `${log}/${String(number).padStart(10, '0')}`
const holding = (...numbers: number[]) =>
  context({ tables: { logEntry: Object.fromEntries(numbers.map((number) => [key(number), entry])) } }).state

t.test('the first entry has the number 1, the next ones follow', async (t) => {
  t.same(appendEntries(holding(), log, [entry], 9), { logEntry: { [key(1)]: entry } })
  t.same(appendEntries(holding(8, 9, 10), log, [entry], 9), { logEntry: { [key(11)]: entry } })
})

t.test('the oldest entries give way, as many as are too many', async (t) => {
  t.same(appendEntries(holding(1, 2, 3), log, [entry], 3), { logEntry: { [key(1)]: null, [key(4)]: entry } })
  t.same(appendEntries(holding(1, 2, 3), log, [entry], 2), {
    logEntry: { [key(1)]: null, [key(2)]: null, [key(4)]: entry }
  })
})

t.test('another log is left alone', async (t) => {
  t.same(appendEntries(holding(1, 2, 3), 'Managers/10/EventLog', [entry], 1), {
    logEntry: { 'Managers/10/EventLog/0000000001': entry }
  })
})

t.test('several entries are added one after another, and drop as many old ones', async (t) => {
  const other = { ...entry, text: 'It pours.' }
  t.same(appendEntries(holding(1, 2, 3), log, [entry, other], 3), {
    logEntry: { [key(1)]: null, [key(2)]: null, [key(4)]: entry, [key(5)]: other }
  })
})

t.test('clearing leaves no entry of this log', async (t) => {
  t.same(clearLog(holding(4, 5), log), { logEntry: { [key(4)]: null, [key(5)]: null } })
  t.same(clearLog(holding(4), 'Managers/10/EventLog'), { logEntry: {} })
})
