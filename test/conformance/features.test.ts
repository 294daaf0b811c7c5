import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { handlers } from '#generated'

interface Type {
  readonly name: string
  readonly namespace: string
}

const { collectTypes } = await import(pathToFileURL('runtime/build/types.mjs').href)
const served = new Map((collectTypes(handlers) as Type[]).map(({ name, namespace }) => [name, namespace]))
const sections = readFileSync('docs/features.md', 'utf8').split(/^## /m).slice(1)
const rowsOf = (section: string) =>
  [...section.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '))

t.test('features are sorted, and each has a description, requirements and tests', async (t) => {
  const titles = sections.map((section) => section.split('\n')[0])
  t.same(titles, titles.toSorted())
  for (const section of sections) {
    const rows = rowsOf(section)
    t.ok(rows.length > 0)
    for (const row of rows) t.match(row, { length: 4, 3: /`test\// }, row.join(' | '))
  }
})

t.test('the version of each type is the one that is served', async (t) => {
  let checked = 0
  for (const [name, standard = ''] of sections.flatMap(rowsOf)) {
    for (const [, type = '', minor] of standard.matchAll(/([A-Z]\w+) 1\.(\d+)/g)) {
      const namespace = served.get(type)
      if (namespace === undefined) continue
      t.match(namespace, new RegExp(`\\.v1_${minor}_`), `${name}: ${type}`)
      checked += 1
    }
  }
  t.ok(checked > 30, `${checked} types`)
})
