/**
 * Creates `data/accounts/common-passwords.json` again: `node runtime/build/common-passwords.mjs`. The passwords are
 * those of the package zxcvbn (MIT), which has them from leaks, the most frequent first; no list of them is in the
 * product.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { importBundled } from './bundle.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** The shortest that accounts may have as delivered. */
const usualLength = 8

/** The most frequent 4000 of those that are long enough for accounts, and the most frequent 1000 of any length. */
export function commonPasswords() {
  const { passwords } = createRequire(join(root, 'package.json'))('zxcvbn/lib/frequency_lists.js')
  const long = passwords.filter((/** @type {string} */ each) => each.length >= usualLength)
  return [.../** @type {Set<string>} */ (new Set([...long.slice(0, 4000), ...passwords.slice(0, 1000)]))]
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-'))
  const source = `export { commonPasswordFilter } from './data/accounts/common-passwords.ts'`
  const { commonPasswordFilter } = await importBundled(source, join(folder, 'filter.mjs'), [])
  const filter = Buffer.from(commonPasswordFilter(commonPasswords())).toString('base64')
  writeFileSync(join(root, 'data/accounts/common-passwords.json'), `${JSON.stringify({ filter }, undefined, 2)}\n`)
  rmSync(folder, { recursive: true })
}
