import { readFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'
import { named, says, settings } from './settings.ts'

const page = readFileSync('docs/threat-model.md', 'utf8')
const defaults = new Map(settings(configuration))

/** The rows of the table with this heading, as the texts of their columns. */
function rows(heading: string): string[][] {
  const [, below = ''] = page.split(`${heading}\n`)
  const [table = ''] = below.split('\n\n')
  return table
    .split('\n')
    .slice(1)
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((column) => column.trim())
    )
}

const bounds = rows('| what clients can fill | bounds | default | kept to in |')

/** The settings that a column names. */
const settingsIn = (column = '') => named(`|${column}|`)

t.test('every limit of the configuration is in the threat model', async (t) => {
  const there = new Set(bounds.flatMap(([, column]) => settingsIn(column)))
  t.same(
    [...defaults.keys()].filter((name) => name.startsWith('limits.') && !there.has(name)),
    []
  )
})

t.test('every bound of the threat model is a setting with this default, to which a file keeps', async (t) => {
  t.ok(bounds.length > 20)
  for (const [what = '', column, words = '', files = ''] of bounds) {
    const sources = [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => readFileSync(file, 'utf8'))
    for (const [index, name] of settingsIn(column).entries()) {
      t.ok(says(words.split(', ')[index] ?? '', defaults.get(name) ?? ''), `${what}: the default of ${name}`)
      const word = new RegExp(`\\b${name.split('.').at(-1)}\\b`)
      t.ok(
        sources.some((source) => word.test(source)),
        `${what}: ${files} keeps to ${name}`
      )
    }
  }
})

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 2 ** 20 }

/** A product of settings, sizes and numbers, in MiB. */
function megabytes(product: string): number {
  const factors = product.split(' × ').map((factor) => {
    const [, setting] = /^`(.+)`$/.exec(factor) ?? []
    const [number = '', unit] = factor.split(' ')
    return setting === undefined
      ? Number(number) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN))
      : defaults.get(setting)
  })
  return factors.reduce<number>((all, each) => all * Number(each), 1) / 2 ** 20
}

for (const heading of ['| in the heap | at most | MiB |', '| outside of it | at most | MiB |']) {
  t.test(`${heading} is reckoned from the configuration`, async (t) => {
    const all = rows(heading)
    const parts = all.slice(0, -1)
    for (const [what = '', product = '', said] of parts) t.equal(megabytes(product).toFixed(1), said, what)
    const sum = parts.reduce((so, [, product = '']) => so + megabytes(product), 0)
    t.equal(sum.toFixed(1), all.at(-1)?.[2], 'the sum')
  })
}

t.test('the heap holds all that clients can fill at the same time', async (t) => {
  const [, heap] = /default_heap_mib = (\d+)/.exec(readFileSync('runtime/embedded/main.c', 'utf8')) ?? []
  t.match(page, `heap of the\nengine has ${heap} MiB`)
  t.ok(Number(rows('| in the heap | at most | MiB |').at(-1)?.[2]) < Number(heap))
})
