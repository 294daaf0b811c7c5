/**
 * Tests what is built from the tree as it is: `node test/run.mjs [OPTION …] [FOLDER|FILE|PART OF A PATH …]`.
 *
 * Without words it runs all tests and checks types and style. `--fast` leaves out the tests that have a process of their
 * own; files of a ring share one (see run/files.mjs). `--watch` goes on: when a file is saved, the tests that it belongs to
 * run again. Tests whose programs are not installed are left out, and the last lines say how many and what to install;
 * `--left-out FILE` writes what was left out to a file, and `--rest FILE` tests that, where the programs are. The last
 * line is `N passed, N failed`. With CI=true a missing program is a failure, and a sample of mutants is tested too.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'))
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    'left-out': { type: 'string' },
    rest: { type: 'string' }
  }
})
const whole = words.length === 0 && !options.fast && options.rest === undefined
/** For two cores: tests wait for timers, and for processes that start. */
const workers = 4
/** The exit status of a build for which Debian's mirror does not deliver the packages: its tests are skipped. */
const undelivered = 75
// While one works on a change, fewer of them save minutes: `MINNOW_ARCHITECTURES=x86_64`.
const architectures = (process.env.MINNOW_ARCHITECTURES || 'x86_64,armv7,armv5,aarch64').split(',')

// The build brings the packages that the rest of this needs.
if ((await run('build.mjs')) !== 0 && !options.watch) process.exit(1)
const { bundle } = await import('./run/modules.mjs')
const { findTests, groupTests } = await import('./run/files.mjs')
const { findUnmet } = await import('./run/needs.mjs')
const { clear, inParallel, placeFixtures, Results } = await import('./run/processes.mjs')
const { affectedBy, changes } = await import('./run/watch.mjs')

placeFixtures()
/** @type {{ files: string[], halves: string[] }} files, and those that are to run without Node.js */
const rest = options.rest === undefined ? { files: words, halves: [] } : JSON.parse(readFileSync(options.rest, 'utf8'))
const files = findTests([...rest.files, ...rest.halves])
if (files.length === 0) {
  console.error(`no test has ${words.join(' or ')} in its path`)
  process.exit(1)
}
let { failed, imports } = await test(files)
process.exitCode = failed > 0 ? 1 : 0
if (options.watch) {
  for await (const changed of changes()) {
    const again = affectedBy(changed, findTests(words), imports)
    if (again.length === 0 || (await run('build.mjs')) !== 0) continue
    imports = { ...imports, ...(await test(again)).imports }
  }
}

/**
 * Builds what the files test, and runs them.
 *
 * @param {string[]} files
 */
async function test(files) {
  const chosen = (/** @type {string[]} */ files) => groupTests(files).filter(({ shared }) => shared || !options.fast)
  const out = mkdtempSync('dist/test-') // runs may go on side by side
  let groups = chosen(files)
  let { modules, imports, required } = await bundle(out, groups)
  const unmet = findUnmet(
    groups.flatMap(({ files }) => files),
    required
  )
  if (unmet.size > 0) {
    groups = chosen(files.filter((file) => !unmet.has(file)))
    ;({ modules } = await bundle(out, groups))
  }
  const rings = groups.filter(({ shared }) => shared).length
  const results = new Results()
  /** @type {string[]} */
  const leftOut = []
  const built = groups.length > rings ? buildBinaries().then((lines) => leftOut.push(...lines)) : undefined
  const tests = modules.map((module, index) => async () => {
    if (index >= rings) await built
    await results.run(module, rest.halves.includes(module.group.files[0] ?? '') ? 'binary' : process.env.MINNOW_HOSTS)
  })
  const checks = []
  if (whole) {
    checks.push(async () => {
      const faults = await lint()
      results.failed += faults
    })
  }
  if (process.env.CI === 'true') {
    // A fixed sample, so that its bound is met unless tests get worse: they caught all 60 when its bound was set.
    const sample = ['60', '--near', '--seed', '25', '--least', '90', '--workers', '1', 'data/', 'handlers/']
    checks.push(async () => {
      if ((await run('test/run/mutants.mjs', ...sample)) !== 0) results.failed += 1
    })
  }
  await inParallel(workers, [async () => built, ...checks, ...tests])
  clear(out)
  if (options['left-out'] !== undefined)
    writeFileSync(
      options['left-out'],
      JSON.stringify({ files: [...unmet.keys(), ...results.skipping], halves: [...results.halves] })
    )
  const lines = [
    ...leftOut,
    ...counted([...unmet.values()]).map(
      ([how, count]) => `${count} ${count === 1 ? 'file' : 'files'} of tests: ${how}`
    ),
    ...counted(results.skipped).map(([why, count]) => `${count} ${count === 1 ? 'test' : 'tests'}: ${why}`)
  ]
  for (const line of lines) console.log(`left out: ${line}`)
  if (process.env.CI === 'true') results.failed += leftOut.length + unmet.size
  console.log(`${results.passed} passed, ${results.failed} failed`)
  return { failed: results.failed, imports }
}

/**
 * @param {string[]} reasons
 * @returns {[string, number][]} each reason with how often it is given
 */
function counted(reasons) {
  const counts = new Map()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
}

/** @returns a line for each that cannot be built here, with how to get what is missing */
async function buildBinaries() {
  const { available } = await import('../runtime/build/sysroot.mjs')
  const leftOut = []
  for (const arch of architectures) {
    const missing = available(arch)
    if (missing.length > 0) leftOut.push(`the ${arch} binary and its tests: install ${missing.join(', ')}`)
    else {
      const status = await run('build.mjs', '--binary', '--arch', arch)
      if (status === undelivered) process.env.MINNOW_UNDELIVERED = `${process.env.MINNOW_UNDELIVERED ?? ''} ${arch}`
      else if (status !== 0) leftOut.push(`the ${arch} binary and its tests: it did not build`)
    }
  }
  return leftOut
}

/** @returns how many of the checks failed */
async function lint() {
  const types = await run('node_modules/typescript/bin/tsc')
  const page = await run('node_modules/typescript/bin/tsc', '-p', 'runtime/page')
  const style = await run('node_modules/@biomejs/biome/bin/biome', 'check', '.')
  const knip = ['node_modules/knip/bin/knip.js', '--config', 'test/run/knip.ts']
  const unused = (await run(...knip)) || (await run(...knip, '--production'))
  return [types, page, style, unused].filter((status) => status !== 0).length
}

/**
 * Runs a script of Node.js.
 *
 * @param {string[]} script with its arguments
 * @returns {Promise<number | null>} its exit status
 */
function run(...script) {
  const child = spawn(process.execPath, script, { stdio: 'inherit' })
  return new Promise((resolve) => child.on('close', resolve))
}
