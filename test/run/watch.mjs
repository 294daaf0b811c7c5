import { watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { reach } from './modules.mjs'

const folders = ['handlers', 'runtime', 'hal', 'data', 'registries', 'test']
/** Milliseconds to wait after a change: saving a file causes several events. */
const quiet = 100

/** Paths of files that were changed, those that were saved together at a time; it does not end. */
export async function* changes() {
  /** @type {Set<string>} */
  const changed = new Set()
  let wake = () => {}
  for (const folder of folders) {
    watch(folder, { recursive: true }, (_, name) => {
      changed.add(join(folder, String(name)))
      wake()
    })
  }
  for (;;) {
    if (changed.size === 0) await new Promise((resolve) => (wake = () => resolve(undefined)))
    await pause(quiet)
    const together = [...changed]
    changed.clear()
    yield together
  }
}

/**
 * The tests to run again.
 *
 * @param {string[]} changed
 * @param {string[]} tests
 * @param {Record<string, string[]>} imports what each file imports
 * @returns {string[]} the tests that lead to one of the files; all, when one of the files is in no test's reach
 */
export function affectedBy(changed, tests, imports) {
  const reached = new Map(tests.map((test) => [test, reach(test, imports)]))
  const affected = tests.filter((test) => changed.some((file) => reached.get(test)?.has(file)))
  const known = changed.every((file) => [...reached.values()].some((files) => files.has(file)))
  return known ? affected : tests
}
