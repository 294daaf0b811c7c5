/** The maker's words take the place of the neutral ones in every source on the way in, and nowhere else. */
/** @import { Loader, Plugin } from 'esbuild' */
import { readFileSync } from 'node:fs'
import { dirname, extname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
/** A brand is put into these; the modules generated from them have it already. */
const sources = /^(handlers|runtime|data|registries)\//
/** Values of standard enumerations in which a neutral word is part of the standard. */
const standard = ['VendorDefined']
/** @type {Readonly<Record<string, Loader>>} */
const loaders = { '.ts': 'ts', '.tsx': 'tsx', '.json': 'json' }

/**
 * A maker's names for itself and its controller, by the neutral words `Vendor` and `Mgmt`, and its name for something that
 * has one of these in its own, `MgmtEventLog`.
 *
 * @typedef {Readonly<Record<string, string>>} Words
 */

/**
 * @param {string} text
 * @param {Words} words
 */
export function applyBrand(text, words) {
  if (Object.keys(words).length === 0) return text
  const longestFirst = [...standard, ...Object.keys(words)].sort((a, b) => b.length - a.length)
  return text.replace(new RegExp(longestFirst.join('|'), 'g'), (word) => words[word] ?? word)
}

/**
 * Puts a brand into the sources that a bundle is made of.
 *
 * @param {Words} words
 * @returns {Plugin}
 */
export function branded(words) {
  return {
    name: 'brand',
    setup(builder) {
      builder.onLoad({ filter: /\.(tsx?|json)$/ }, ({ path }) => {
        if (!sources.test(relative(root, path))) return undefined
        // Files keep their neutral names.
        const parts = readFileSync(path, 'utf8').split(/( from '[^']+')/)
        const contents = parts.map((part, index) => (index % 2 === 1 ? part : applyBrand(part, words))).join('')
        return { contents, loader: loaders[extname(path)] ?? 'default' }
      })
    }
  }
}
