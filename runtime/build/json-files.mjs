import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The JSON files of a folder, sorted by name.
 *
 * @param {string} folder
 */
export function jsonFiles(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}
