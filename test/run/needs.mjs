import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isInstalled } from '../../runtime/build/command.mjs'
import { reach } from './modules.mjs'

/** A module whose tests require a program has a line of this form: `// needs: curl, openssl`. */
const line = /^\/\/ needs: (.+)$/m

/** @type {Record<string, () => boolean>} the needs that are a package and not a program */
const packages = {
  'python3-yaml': () => imports('yaml'),
  'python3-gi': () => imports('gi'),
  'python3-dbus': () => imports('dbus'),
  'python3-dbusmock': () => imports('dbusmock')
}

/** @param {string} name of a module of the distribution's Python */
function imports(name) {
  return spawnSync('/usr/bin/python3', ['-c', `import ${name}`]).status === 0
}

/**
 * Finds the tests that cannot run here, because a module of theirs needs a program that is not installed.
 *
 * @param {string[]} tests
 * @param {Record<string, string[]>} imports what each file imports, whenever it runs
 * @returns {Map<string, string>} by test, how to install its missing tools
 */
export function findUnmet(tests, imports) {
  const needs = new Map(Object.keys(imports).map((file) => [file, needsOf(file)]))
  const lacking = [...new Set([...needs.values()].flat())].filter((name) => !(packages[name]?.() ?? isInstalled(name)))
  /** @type {Map<string, string>} */
  const unmet = new Map()
  for (const test of tests) {
    const needed = new Set([...reach(test, imports)].flatMap((file) => needs.get(file) ?? []))
    const missing = lacking.filter((name) => needed.has(name))
    if (missing.length > 0) unmet.set(test, `install ${missing.sort().join(' and ')}`)
  }
  return unmet
}

/** @param {string} file */
function needsOf(file) {
  return file.startsWith('test/') ? (line.exec(readFileSync(file, 'utf8'))?.[1]?.split(', ') ?? []) : []
}
