/** Checks what nouns and handlers add to the interfaces of `#runtime/contract`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mistake, nearest, shown } from './mistakes.mjs'
import { additions, declaredTables } from './source.mjs'

const interfaces = ['Services', 'Machine', 'Commands', 'Tables']

/**
 * The mistakes of nouns and of their tables, a line each.
 *
 * @param {string} data folder of the nouns
 * @param {readonly string[]} handlers files, which may have tables of their own
 */
export function nounMistakes(data, handlers) {
  const files = readdirSync(data, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(data, name))
  const declaring = [...files, ...handlers]
    .filter((file) => /declare module|^table\(/m.test(readFileSync(file, 'utf8')))
    .map((file) => ({ file, added: additions(file), tables: declaredTables(file) }))
  /** @type {Map<string, string>} */
  const known = new Map()
  const first = (/** @type {string} */ what, /** @type {string} */ file, /** @type {string} */ instead) => {
    const before = known.get(what)
    if (before !== undefined) return [mistake(file, `declares ${what}, as ${shown(before)} does`, instead)]
    known.set(what, file)
    return []
  }
  const twice = declaring.flatMap(({ file, added, tables }) => [
    ...[...added].flatMap(([name, members]) => {
      if (!interfaces.includes(name)) return [mistake(file, `adds to the interface ${name}`, nearest(name, interfaces))]
      return members.flatMap((member) => first(`${name}.${member}`, file, 'remove one, or name it otherwise'))
    }),
    ...tables.flatMap((table) => first(`table('${table}')`, file, 'remove one'))
  ])
  const missing = declaring.flatMap(({ file, added, tables }) => [
    ...(added.get('Tables') ?? [])
      .filter((table) => !known.has(`table('${table}')`))
      .map((table) =>
        mistake(file, `does not say which resets ${table} survives`, `add table('${table}', { survives: [] })`)
      ),
    ...tables
      .filter((table) => !known.has(`Tables.${table}`))
      .map((table) =>
        mistake(file, `does not say what a record of ${table} is`, `add ${table} to the interface Tables`)
      )
  ])
  return [...folderMistakes(data, files), ...twice, ...missing]
}

/**
 * A noun is imported by its name: its folder has an `index.ts`.
 *
 * @param {string} data
 * @param {readonly string[]} files
 */
function folderMistakes(data, files) {
  const nouns = readdirSync(data).filter((name) => files.some((file) => file.startsWith(join(data, name, '/'))))
  return nouns
    .map((name) => join(data, name, 'index.ts'))
    .filter((index) => !existsSync(index))
    .map((index) => mistake(index, 'the noun has no index', 'export its files from there'))
}
