/**
 * Checks that the tests notice mistakes: `node test/run/mutants.mjs [N] [--seed SEED] [--near] [--least PERCENT]
 * [--workers N] [--show] [PART OF A PATH …]`.
 *
 * A mutant is the sources with one small mistake. One bundle holds all mutants of a run, with the tests that share a
 * process. The environment of a process selects the mutant that is alive in it, so the sources stay as they are. A first
 * run without mistakes records which test runs which line. Then each mutant meets the tests that run it, the nearest
 * first, until one fails; a mutant that survives them lives in a service of the tests in `test/host`. With `--near` only the
 * tests of the same folder run, which is quick. The exit status is 1 when fewer than 90 %, or PERCENT, are caught.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findTests, groupTests } from './files.mjs'
import { mutantsOf, textOf } from './mistakes.mjs'
import { bundle } from './modules.mjs'
import { MutatedService } from './mutated-service.mjs'
import { clear, inParallel, placeFixtures, temporary } from './processes.mjs'
import { affectedBy } from './watch.mjs'

/** @import { Mutant } from './mistakes.mjs' */
/**
 * Of a test file without a mutant: the mutants whose lines it runs, and whether that was while a module loads; and the
 * files with mutants whose functions it calls.
 *
 * @typedef {{ name: string, time: number, ok: boolean, ran: [number | string, boolean][] }} Report
 */

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '../..'))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    least: { type: 'string', default: '90' },
    near: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now()) },
    show: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) }
  }
})
const folders = ['data', 'handlers', 'hal', 'runtime/request', 'runtime/service']
/** Sources without mutants: only test files that have a process to themselves run them. */
const elsewhere = [
  ...['hal/gpio/', 'hal/native/', 'hal/tty/'],
  ...['runtime/service/network/discovery.ts', 'runtime/service/network/multicast.ts']
]
const least = Number(options.least)
/** It compares declarations, which are made while modules load; no other test does so for all of them. */
const declarations = 'test/handlers/interface.test.ts'
/** Test files that a mutant meets, the nearest and quickest, and the milliseconds that they take together. */
const most = { files: 20, time: 60_000, timeOfServices: 300_000 }
const number = Number(positionals.find((word) => /^\d+$/.test(word)) ?? 1000)
const words = positionals.filter((word) => !/^\d+$/.test(word))

/** The first lines of the bundle. Code that runs while a module loads runs only in the first file that imports it. */
const banner = `import $tap from 'tap'
const $number = Number(process.env.MINNOW_MUTANT), $ran = new Map()
let $loading = 0
const $alive = (id) => {
  if ($number < 0) $ran.set(id, $ran.get(id) || $loading > 0)
  return id === $number
}
const $enter = (file) => { if ($number < 0 && $loading === 0) $ran.set(file, false) }
$tap.on('subtestEnd', ({ name, time, results }) => {
  process.send({ name, time, ok: results.ok, ran: [...$ran] })
  $ran.clear()
})`

const files = folders.flatMap((folder) =>
  readdirSync(folder, { encoding: 'utf8', recursive: true }).map((name) => join(folder, name))
)
const all = files
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !/\.(test|generated)\.ts$/.test(file))
  .filter((file) => !elsewhere.some((path) => file.startsWith(path)))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .flatMap((file) => mutantsOf(file, options.seed))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
const folderOf = (/** @type {Mutant} */ { file }) => folders.find((folder) => file.startsWith(`${folder}/`)) ?? ''
const share = Math.ceil(number / new Set(all.map(folderOf)).size)
const chosen = folders.flatMap((folder) => all.filter((mutant) => folderOf(mutant) === folder).slice(0, share))
console.log(`${chosen.length} of ${all.length} mutants, seed ${options.seed}`)

placeFixtures()
const own = mkdtempSync(join(temporary, 'minnow-mutants-')) // of the tests that end in the middle
const out = `dist/mutants-${process.pid}` // packages are found from there
/** Such a file has a process of its own, but can share that of a mutant. */
const alone = /^\/\/ own process: (it takes|it counts|it starts message buses|thousands of)/m
const tests = groupTests(findTests([]))
  .flatMap(({ files: [first = '', ...more], shared }) =>
    shared || alone.test(readFileSync(first, 'utf8')) ? [first, ...more] : []
  )
  .filter((file) => !file.startsWith('test/conformance/')) // they read the sources, not what these do
  .filter(
    (file) =>
      !options.near || file === declarations || chosen.some((mutant) => file.startsWith(`test/${folderOf(mutant)}/`))
  )
/** Puts the mutants into the sources. */
const plugin = {
  name: 'mutants',
  setup(/** @type {import('esbuild').PluginBuild} */ { onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const file = relative('.', path)
      return folders.some((folder) => file.startsWith(`${folder}/`))
        ? { contents: textOf(file, chosen), loader: 'ts' }
        : null
    })
  }
}
const { modules, imports } = await bundle(out, [{ files: tests, shared: true }], {
  sourcemap: false,
  banner: { js: banner },
  plugins: [plugin]
})

/** Milliseconds of each test file. @type {Map<string, number>} */
const times = new Map()
/** The tests that import a file. @type {Map<string, string[]>} */
const importing = new Map()
/** The tests that call functions of a file. @type {Map<string, string[]>} */
const entering = new Map()
/** Mutants that run while a module loads. @type {Set<number>} */
const loaded = new Set()
/** Tests that fail as it is. @type {Set<string>} */
const broken = new Set()
const workers = Number(options.workers)
const near = tests.filter((test) => chosen.some(({ file }) => testsOf(file).includes(test)))
const parts = Array.from({ length: 4 * workers }, (_, index) => near.filter((_, at) => at % (4 * workers) === index))
await inParallel(
  workers,
  parts.filter(({ length }) => length > 0).map((part, index) => () => run(part, -index - 1))
)
for (const number of loaded) {
  const { file = '', tests } = chosen[number] ?? {}
  for (const test of [declarations, ...(entering.get(file) ?? testsOf(file))]) tests?.add(test)
}
await inParallel(
  workers,
  chosen.map((mutant, number) => () => meet(mutant, number))
)
if (!options.near && chosen.some(({ caught }) => !caught)) await meetServices()
rmSync(own, { recursive: true, force: true })
clear(out)

const figures = [...folders, 'all'].map((folder) => {
  const own = chosen.filter((mutant) => folder === 'all' || folderOf(mutant) === folder)
  const caught = own.filter((mutant) => mutant.caught).length
  if (own.length > 0)
    console.log(`${folder}: ${caught} of ${own.length}, ${((100 * caught) / own.length).toFixed(1)} %`)
  return { enough: own.length < 50 && folder !== 'all' ? true : 100 * caught >= least * own.length }
})
process.exitCode = broken.size === 0 && figures.every(({ enough }) => enough) ? 0 : 1

/** @param {Mutant} mutant @param {number} number */
async function meet(mutant, number) {
  const met = nearest(
    mutant,
    [...mutant.tests].filter((test) => !broken.has(test)),
    times,
    most.time
  )
  mutant.met += met.length
  mutant.caught = met.length > 0 && (await run(met, number)) !== 0
  if (mutant.caught || options.near) print(mutant)
}

/** Has the mutants that survived meet the tests whose services are processes of their own. */
async function meetServices() {
  const service = await MutatedService.build(out, plugin)
  await inParallel(workers, service.tasks())
  const tasks = chosen.map((mutant, number) => async () => {
    if (mutant.caught) return
    for (const test of nearest(mutant, service.tests.get(number) ?? [], service.times, most.timeOfServices)) {
      mutant.met += 1
      mutant.caught = await service.catches(test, number)
      if (mutant.caught) break
    }
    print(mutant)
  })
  await inParallel(workers, tasks)
}

/**
 * The tests that a mutant meets, the nearest first: those have most words of its path in theirs.
 *
 * @param {Mutant} mutant
 * @param {string[]} tests
 * @param {Map<string, number>} times milliseconds of each test
 * @param {number} limit milliseconds that they take together
 */
function nearest({ file }, tests, times, limit) {
  const words = file.replace(/\.ts$/, '').split(/[/.-]/)
  const near = (/** @type {string} */ test) =>
    test === declarations ? words.length : words.filter((word) => test.includes(word)).length
  const time = (/** @type {string} */ test) => times.get(test) ?? 0
  let sum = 0
  return [...tests]
    .sort((a, b) => near(b) - near(a) || time(a) - time(b))
    .slice(0, most.files)
    .filter((test, index) => {
      sum += time(test)
      return index === 0 || sum < limit
    })
}

/**
 * Prints the outcome of a mutant as soon as it is known: a run takes long, and tests can be written meanwhile.
 *
 * @param {Mutant} mutant
 */
function print({ caught, file, line, title, met }) {
  if (caught && !options.show) return
  const seen = met === 0 ? 'no test runs it' : `${met} tests`
  console.log(`${caught ? 'caught' : 'survived'}: ${file}:${line}: ${title} (${seen})`)
}

/**
 * Runs test files until one fails. Without a mutant (a number below zero), they report what they run.
 *
 * @param {string[]} files
 * @param {number} mutant
 * @returns {Promise<number | string>} how it ended
 */
function run(files, mutant) {
  // A process makes its folders below its arguments.
  const child = spawn(process.execPath, [modules[0]?.file ?? '', String(mutant)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...process.env,
      ...{ MINNOW_MUTANT: String(mutant), MINNOW_TESTS: files.join(' ') },
      ...{ TMPDIR: own, TAP_TIMEOUT: '900', TAP_BAIL: mutant < 0 ? '0' : '1' }
    }
  })
  /** @type {number | string | undefined} */
  let ending
  const end = (/** @type {string | number} */ how) => {
    ending ??= how
    child.kill('SIGKILL')
  }
  /** Ends it when a file takes much longer than it should. @param {string | undefined} file */
  const wait = (file = '') => setTimeout(end, mutant < 0 ? 900_000 : 20_000 + 10 * (times.get(file) ?? 0), 'timeout')
  let timer = wait(files[0])
  child.on('message', (/** @type {Report} */ report) => {
    if (!report.ran) return // tap's own
    clearTimeout(timer)
    const next = files[files.indexOf(report.name) + 1]
    if (mutant < 0) note(report)
    else if (!report.ok || next === undefined) return end(report.ok ? 0 : 1)
    timer = wait(next)
  })
  return new Promise((resolve) =>
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      resolve(ending ?? status ?? signal ?? '')
    })
  )
}

/** @param {Report} report */
function note({ name, time, ok, ran }) {
  if (!ok) {
    console.log(`fails without a mutant: ${name}`)
    broken.add(name)
  }
  times.set(name, time)
  for (const [what, loading] of ran) {
    if (typeof what === 'string') entering.set(what, [...(entering.get(what) ?? []), name])
    else if (loading) loaded.add(what)
    else chosen[what]?.tests.add(name)
  }
}

/** The tests that import a file, directly or not. @param {string} file */
function testsOf(file) {
  const known = importing.get(file) ?? affectedBy([file], tests, imports)
  importing.set(file, known)
  return known
}
