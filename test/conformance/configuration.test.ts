import { readFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'

/** The settings that a row of the table names: `a.b`, `.c` is a.b and a.c. */
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

t.test('every setting has its row in docs/configuration.md, and every row its setting', async (t) => {
  const rows = readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  t.same(rows.flatMap(named).sort(), leaves(configuration).sort())
})
