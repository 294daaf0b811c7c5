import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Rings: the folders whose files share one process, the longest first. A file belongs to the first that it lies in. */
const shared = [
  ['accounts', 'events', 'media', 'network', 'updates'].map((each) => `runtime/service/${each}`),
  ['runtime/service'],
  ['runtime/request'],
  ['runtime'],
  ['hal'],
  ['conformance', 'data', 'registries', 'handlers']
]
/** Where the timeout of the files with a browser is set. */
const browser = readFileSync('test/page/browser.ts', 'utf8')
/** Such a file has its own process if it states the reason in a line of this form. */
const ownProcess = /^\/\/ own process: /m

/**
 * The test files whose path contains one of `words`, or all.
 *
 * @param {string[]} words folders, files, or parts of their paths
 * @returns {string[]} paths from the root of the tree
 */
export function findTests(words) {
  const wanted = words.map((word) => relative('.', word))
  return readdirSync('test', { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.split(sep).includes('fixtures'))
    .map((name) => join('test', name))
    .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)))
    .sort()
}

/**
 * Files of one process; when they share it, each is a test there.
 *
 * @typedef {{ files: string[], shared: boolean }} Group
 */

/**
 * The groups of files that run in one process.
 *
 * @param {string[]} files
 * @returns {Group[]} first the rings that share a process, then the files that have their own
 */
export function groupTests(files) {
  /** @type {string[][]} */
  const rings = shared.map(() => [])
  /** @type {string[]} */
  const single = []
  for (const file of files) {
    const ring = rings[shared.findIndex((folders) => folders.some((each) => file.startsWith(join('test', each, sep))))]
    if (ring === undefined || ownProcess.test(readFileSync(file, 'utf8'))) single.push(file)
    else ring.push(file)
  }
  return [
    ...rings.filter((files) => files.length > 0).map((files) => ({ files, shared: true })),
    ...single.sort(longestFirst).map((file) => ({ files: [file], shared: false }))
  ]
}

/**
 * The longest first, so that none is left alone at the end: those with the longest timeouts.
 *
 * @param {string} one
 * @param {string} other
 */
function longestFirst(one, other) {
  return timeout(other) - timeout(one)
}

/**
 * In seconds. The files with a browser have one in common.
 *
 * @param {string} file
 */
function timeout(file) {
  const own = readFileSync(file, 'utf8')
  const text = own.includes("/browser.ts'") ? own + browser : own
  const [, seconds = '0'] = /\bt\.setTimeout\(([\d_]+)000\b/.exec(text) ?? []
  return Number(seconds.replaceAll('_', ''))
}
