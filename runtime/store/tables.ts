import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { utf8Text } from '#runtime/base/bytes.ts'
import { replaceFile } from '#runtime/base/files.ts'
import { readWhole, tablesOf, type Version } from './files.ts'

/** LevelDB ignores files with other names than its own, and the list moves with its tables. */
const list = 'tables.sha256'

/**
 * Vouches for the tables of a LevelDB, in the form of sha256sum(1), and for the list itself in its last line. LevelDB
 * takes a damaged table for a sound one: it shows other entries, or ends the process. A table that LevelDB is still
 * writing, or that it gave up, is not among them.
 *
 * @throws the system's error
 */
export function vouchForTables(directory: string): void {
  const before = read(directory)
  const tables = tablesOf(directory)
  let text = ''
  for (const name of readdirSync(directory).sort()) {
    if (!name.endsWith('.ldb') || !tables.has(Number.parseInt(name, 10))) continue
    text += `${before.get(name) ?? digest(readWhole(`${directory}/${name}`))}  ${name}\n`
  }
  if (text !== '' && text !== written(before)) replaceFile(`${directory}/${list}`, vouched(text))
}

/** @returns the first table of a version that is not what it was */
export function damagedTable(directory: string, { tables }: Version): string | undefined {
  for (const [name, known] of read(directory)) {
    const file = `${directory}/${name}`
    if (!tables.has(Number.parseInt(name, 10)) || statSync(file, { throwIfNoEntry: false }) === undefined) continue
    if (digest(readWhole(file)) !== known) return file
  }
  return undefined
}

/**
 * The list without tables whose numbers LevelDB gives to others, because an interrupted write was to name them.
 *
 * @returns its name and its content; undefined if neither exists
 */
export function listOf(directory: string, { next }: Version): [name: string, content: string] | undefined {
  const known = [...read(directory)]
  const kept = known.filter(([name]) => Number.parseInt(name, 10) < next)
  return kept.length === known.length ? undefined : [list, vouched(written(new Map(kept)))]
}

/** The list; an empty one if it is not whole. */
function read(directory: string): Map<string, string> {
  const file = `${directory}/${list}`
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return new Map()
  const all = utf8Text(readWhole(file))
  const end = all.lastIndexOf('\n', all.length - 2) + 1
  const text = all.slice(0, end)
  if (all.slice(end) !== `${digest(text)}\n`) return new Map()
  return new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  ').reverse() as [string, string])
  )
}

function written(tables: ReadonlyMap<string, string>): string {
  return [...tables].map(([name, known]) => `${known}  ${name}\n`).join('')
}

function vouched(text: string): string {
  return `${text}${digest(text)}\n`
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
