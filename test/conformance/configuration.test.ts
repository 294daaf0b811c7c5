import { readFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'
import { named, says, settings } from './settings.ts'

const rows = readFileSync('docs/configuration.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))

t.test('every setting has its row in docs/configuration.md, and every row its setting', async (t) => {
  t.same(
    rows.flatMap(named).sort(),
    settings(configuration)
      .map(([name]) => name)
      .sort()
  )
})

t.test('every row of docs/configuration.md has the defaults of its settings', async (t) => {
  const defaults = new Map(settings(configuration))
  for (const row of rows) {
    const words = (row.split('|')[2] ?? '').trim().split(', ')
    for (const [index, name] of named(row).entries()) {
      // One word for all, such as "as in the board's file".
      const text = words.length === 1 ? words[0]! : (words[index] ?? '')
      t.ok(says(text, defaults.get(name)!), `${name} is ${defaults.get(name)}: ${text}`)
    }
  }
  t.notOk(says('8 KiB', 8193), 'a wrong one is seen')
  t.notOk(says('everywhere', 'here'))
  t.notOk(says('5', ''))
})
