/**
 * Takes the place of `tap` in a bundle of test files: every file is a test of its own, and the `t` that it imports is
 * that test.
 */
import root from 'tap'

// Lines are counted in the processes of tests, not in those that they start.
delete process.env.NODE_V8_COVERAGE

/** The files that run, of those that are bundled: all, unless some are named. */
const chosen = process.env.MINNOW_TESTS?.split(' ')

/** @type {import('tap').Test} */
let t = root

export { t as default }

/**
 * Runs a file and waits for its tests.
 *
 * @param {string} name path of the file, which becomes the title
 * @param {() => Promise<unknown>} load imports the file
 */
export async function runFile(name, load) {
  if (chosen && !chosen.includes(name)) return
  await root.test(name, async (own) => {
    t = own
    await load()
  })
}
