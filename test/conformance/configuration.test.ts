import { readFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'

/** The settings that a row of the README names: `a.b`, `.c` is a.b and a.c. */
function named(row: string): string[] {
  const names = [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
  const group = names[0]?.replace(/\.[^.]*$/, '') ?? ''
  return names.map((name) => (name.startsWith('.') ? `${group}${name}` : name))
}

function leaves(value: object, path = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' ? leaves(inner, `${path}${name}.`) : [`${path}${name}`]
  )
}

t.test('every setting has its row in the README, and every row its setting', async (t) => {
  const section =
    readFileSync('README.md', 'utf8')
      .split(/^## /m)
      .find((each) => each.startsWith('Configuration')) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  t.same(rows.flatMap(named).sort(), leaves(configuration).sort())
})
