import t from 'tap'
import { functionKeys, otherKeys, sequenceOf } from '#runtime/page/rules/keys.ts'

t.test('keys are sent as terminals of each kind do', async (t) => {
  const sent = (set: 'xterm' | 'VT100+', ...keys: readonly string[]) =>
    keys.map((each) => sequenceOf(each, set).replaceAll('\x1b', 'ESC '))
  t.same(sent('xterm', 'F1', 'F2', 'F4', 'F5', 'F6', 'F10', 'F11', 'F12', 'Del', 'Home'), [
    ...['ESC OP', 'ESC OQ', 'ESC OS', 'ESC [15~', 'ESC [17~', 'ESC [21~', 'ESC [23~', 'ESC [24~'],
    ...['ESC [3~', 'ESC [H']
  ])
  t.same(sent('VT100+', 'F1', 'F2', 'F9', 'F10', 'F11', 'F12', 'Del', 'PgUp'), [
    ...['ESC 1', 'ESC 2', 'ESC 9', 'ESC 0', 'ESC !', 'ESC @', 'ESC -', 'ESC ?']
  ])
  for (const set of ['xterm', 'VT100+'] as const) {
    const all = [...functionKeys, ...otherKeys].map((each) => sequenceOf(each, set))
    t.equal(new Set(all).size, all.length, 'each is another')
  }
})
