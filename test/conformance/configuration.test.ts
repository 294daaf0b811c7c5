import { readFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'

/** The settings that a row of the table names: `a.b`, `.c` is a.b and a.c. */
function named(row: string): string[] {
  const names = [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
  const group = names[0]?.replace(/\.[^.]*$/, '') ?? ''
  return names.map((name) => (name.startsWith('.') ? `${group}${name}` : name))
}

/** Every setting by its name, with its default. */
function settings(value: object, path = ''): [string, string | number | boolean][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' ? settings(inner, `${path}${name}.`) : [[`${path}${name}`, inner] as const]
  ) as [string, string | number | boolean][]
}

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1_048_576, GB: 1e9, s: 1, min: 1 }

/** Whether a row's words are a default: `8 KiB`, `0.25 s`, `` `sim` ``, or for an empty text what that means. */
function says(words: string, value: string | number | boolean): boolean {
  const [, figure = '', unit] = /^([\d.]+)(?: (\w+))?$/.exec(words) ?? []
  if (typeof value === 'number' && value !== 0) {
    const size = Number(figure) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN))
    return unit === 'GB' ? Math.abs(size - value) < 5e7 : size === value
  }
  return value === '' || value === 0 ? /^[^\d`]+$/.test(words) : words.replaceAll('`', '') === String(value)
}

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
