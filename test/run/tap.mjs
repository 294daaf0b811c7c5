/**
 * Takes the place of `tap` in a bundle of test files: every file is a test of its own, and the `t` that it imports is
 * that test.
 */
import root from 'tap'

// Lines are counted in the processes of tests, not in those that they start.
delete process.env.NODE_V8_COVERAGE

/** @type {import('tap').Test} */
let t = root

export { t as default }

/**
 * Runs files one after the other: all, or those that the environment names, in its order.
 *
 * @param {Record<string, () => Promise<unknown>>} files by their paths, which become the titles: each imports its file
 */
export async function runFiles(files) {
  for (const name of process.env.MINNOW_TESTS?.split(' ') ?? Object.keys(files)) {
    await root.test(name, async (own) => {
      t = own
      await files[name]?.()
    })
  }
  root.end()
  // Sockets that a test has left, such as one that still connects, would keep the process for seconds. A child of
  // mutants.mjs has not sent its last report yet.
  if (!process.connected) setImmediate(() => process.exit())
}
