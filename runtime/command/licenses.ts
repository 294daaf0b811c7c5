import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'

/** Where packages and images have the text. */
const installed = '/usr/share/doc/minnow/third-parties.txt'

/**
 * The terms of all that is in the program. The build puts them beside it: they would be a thirtieth of the program.
 *
 * @throws Error if they were left behind
 */
export function licenses(): string {
  const beside = process.argv.slice(0, 2).filter((program) => program.includes('/'))
  const files = [...beside.map((program) => `${program}.licenses`), installed]
  const file = files.find((each) => existsSync(each))
  if (file === undefined) throw new Error(`the licenses of its parts are missing: none of ${files.join(', ')} exists`)
  return readFileSync(file, 'utf8')
}
