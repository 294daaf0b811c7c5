import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { between, type Graph, product, reduced, room } from './imports.ts'

const page = readFileSync('docs/map.md', 'utf8')
const rooms = between(product, room)

/** The rows of the table under a heading, without the one that names the columns, as lists of cells. */
function rows(heading: string): string[][] {
  const section = page.split(/^## /m).find((each) => each.startsWith(heading)) ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

/** The words in a cell that are set as code, in order. */
function named(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort()
}

function arrows(graph: Graph): string[] {
  return [...graph].flatMap(([from, targets]) => [...targets].map((to) => `${from} --> ${to}`)).sort()
}

t.test('the drawing shows each arrow between folders that does not follow from others, and no other one', async (t) => {
  const drawn = [...page.matchAll(/^ *(\S+) --> (\S+)$/gm)].map(([, from, to]) => `${from} --> ${to}`).sort()
  t.same(drawn, arrows(reduced(rooms)))
  const planted = new Map([...rooms, ['runtime/store', new Set(['runtime/contract', 'handlers'])]])
  t.notSame(arrows(reduced(planted)), drawn, 'a planted one is seen')
})

t.test('the table of folders names each folder', async (t) => {
  const all = new Set([...rooms.keys(), ...[...rooms.values()].flatMap((targets) => [...targets])])
  t.same(
    rows('Folders')
      .flatMap(([name]) => named(name))
      .sort(),
    [...all].sort()
  )
})

t.test('the table of background work names each folder of runtime/service', async (t) => {
  t.same(
    rows('Background work').flatMap(([folder]) => named(folder)),
    readdirSync('runtime/service').sort()
  )
})
