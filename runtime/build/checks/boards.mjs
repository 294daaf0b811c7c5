/** Checks the boards that ship. */
/** @import { JsonFile } from '../json-files.mjs' */
/** @import { Sources } from '../sources.mjs' */
/** @import { AnyProperty } from '../types.mjs' */
import { mistake, nearest, shown } from './mistakes.mjs'

/**
 * The mistakes of board files, a line each.
 *
 * @param {readonly JsonFile[]} files
 * @param {readonly string[]} registries ids of attribute registries
 * @param {Pick<Sources, 'backends' | 'boardFaults' | 'boardSchema'>} sources
 */
export function boardMistakes(files, registries, { backends, boardFaults, boardSchema }) {
  /** @type {Map<string, string>} */
  const known = new Map()
  return files.flatMap(({ file, value }) => {
    const faults = boardFaults(value, backends).map((fault) =>
      mistake(file, fault, instead(fault, boardSchema(backends)))
    )
    if (faults.length > 0) return faults
    const board = /** @type {import('#data/board').Board} */ (value)
    const before = known.get(board.name)
    known.set(board.name, file)
    if (before !== undefined) faults.push(mistake(file, `is named ${board.name}, as ${shown(before)} is`, 'rename one'))
    const unknown = Object.entries(board.systems).flatMap(([id, { attributeRegistry: named, bios }]) =>
      named === undefined || bios !== undefined || registries.includes(named) ? [] : [{ id, named }]
    )
    return [
      ...faults,
      ...unknown.map(({ id, named }) =>
        mistake(file, `systems/${id}/attributeRegistry is ${named}, which does not exist`, nearest(named, registries))
      )
    ]
  })
}

/**
 * The correction of a fault: the nearest known member for an unknown one.
 *
 * @param {string} fault
 * @param {AnyProperty} board its schema
 */
function instead(fault, board) {
  const [, path] = /^(.+) is not known$/.exec(fault) ?? []
  if (path === undefined) return 'see docs/boards.md'
  const names = path.split('/')
  const name = names.pop() ?? ''
  /** @type {AnyProperty | undefined} */
  let object = board
  for (const each of names) object = object?.properties?.[each] ?? object?.additionalProperties ?? object?.items
  return nearest(name, Object.keys(object?.properties ?? {}))
}
