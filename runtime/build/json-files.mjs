/** @import { Words } from './brand.mjs' */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyBrand } from './brand.mjs'
import { Mistakes, mistake } from './checks/mistakes.mjs'

/**
 * A file, its name, its text with the maker's words, and what that is as JSON.
 *
 * @typedef {{ readonly file: string, readonly name: string, readonly text: string, readonly value: any }} JsonFile
 */

/**
 * The JSON files of a folder, sorted by name.
 *
 * @param {string} folder
 * @param {Words} [words]
 * @returns {JsonFile[]}
 * @throws {Mistakes} for those that are not JSON
 */
export function jsonFiles(folder, words = {}) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  /** @type {string[]} */
  const mistakes = []
  const files = names.sort().map((name) => {
    const file = join(folder, name)
    const text = applyBrand(readFileSync(file, 'utf8'), words)
    try {
      return { file, name, text, value: JSON.parse(text) }
    } catch (error) {
      mistakes.push(mistake(file, 'is not JSON', error instanceof Error ? error.message : `${error}`))
      return { file, name, text, value: undefined }
    }
  })
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  return files
}
