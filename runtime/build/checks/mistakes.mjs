/** Mistakes in the sources, each in one line: the file, the problem, what to write instead. */
import { relative } from 'node:path'

/** Ends a build. Its message is the lines. */
export class Mistakes extends Error {
  /** @param {readonly string[]} lines */
  constructor(lines) {
    super(lines.join('\n'))
  }
}

/**
 * The path of a file from where the build was started.
 *
 * @param {string} file
 */
export const shown = (file) => relative(process.cwd(), file)

/**
 * @param {string} file
 * @param {string} problem
 * @param {string} instead what to write
 */
export const mistake = (file, problem, instead) => `${shown(file)}: ${problem}; ${instead}`

/**
 * The correction of an unknown name: the nearest known one, or all of them.
 *
 * @param {string} name
 * @param {readonly string[]} known
 */
export function nearest(name, known) {
  const [best] = known
    .map((each) => ({ each, distance: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, name.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return best === undefined ? `write one of ${known.join(', ')}` : `write ${best.each}`
}

/**
 * How many characters to insert, remove or replace to make one of the other (Levenshtein).
 *
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, character] of [...a].entries()) {
    const next = [index + 1]
    for (let at = 0; at < b.length; at++) {
      const replaced = (row[at] ?? 0) + Number(character !== b[at])
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
