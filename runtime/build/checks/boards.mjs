/** Checks the boards that ship. */
/** @import { JsonFile } from '../json-files.mjs' */
/** @import { Sources } from '../sources.mjs' */
import { mistake, nearest, shown } from './mistakes.mjs'

/**
 * The mistakes of board files, a line each.
 *
 * @param {readonly JsonFile[]} files
 * @param {readonly string[]} registries ids of attribute registries
 * @param {Pick<Sources, 'backends' | 'boardFaults'>} sources
 */
export function boardMistakes(files, registries, { backends, boardFaults }) {
  /** @type {Map<string, string>} */
  const known = new Map()
  return files.flatMap(({ file, value }) => {
    const faults = boardFaults(value, backends).map((fault) => mistake(file, fault, 'see docs/boards.md'))
    if (faults.length > 0) return faults
    const board = /** @type {import('#data/board').Board} */ (value)
    const before = known.get(board.name)
    known.set(board.name, file)
    if (before !== undefined) faults.push(mistake(file, `is named ${board.name}, as ${shown(before)} is`, 'rename one'))
    const unknown = Object.entries(board.systems).filter(
      ([, { attributeRegistry }]) => !registries.includes(attributeRegistry)
    )
    return [
      ...faults,
      ...unknown.map(([id, { attributeRegistry }]) =>
        mistake(
          file,
          `systems/${id}/attributeRegistry is ${attributeRegistry}, which is not there`,
          nearest(attributeRegistry, registries)
        )
      )
    ]
  })
}
