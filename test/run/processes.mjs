/** @import { Module } from './modules.mjs' */
import { spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** The default time limit of a file, and the limit of any process, in seconds; `MINNOW_TEST_TIMEOUT` sets both. */
const limit = Number(process.env.MINNOW_TEST_TIMEOUT)
const timeouts = { file: limit || 900, process: limit || 1800 }

/** The folder for output of tests: in memory, so that a store does not wait for a disk, if 1 GiB is free. */
export const temporary = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir()

/** Leads the folder in which tap makes those of the tests there. tap itself would change to another one. */
export function placeFixtures() {
  const link = '.tap/fixtures'
  if (existsSync(link) && lstatSync(link).isSymbolicLink()) return
  rmSync(link, { recursive: true, force: true })
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(mkdtempSync(join(temporary, 'minnow-fixtures-')), link)
}

/**
 * Removes the bundles of a run, and its fixtures: a store leaves files beside its folder, which a later test would read.
 *
 * @param {string} out the folder of the bundles, after which tap names fixtures
 */
export function clear(out) {
  rmSync(out, { recursive: true, force: true })
  const fixtures = readdirSync('.tap/fixtures').filter((name) => name.startsWith(`${out.replaceAll('/', '-')}-`))
  for (const name of fixtures) rmSync(join('.tap/fixtures', name), { recursive: true, force: true })
}

/**
 * Does tasks in their order, as many at a time as there are workers.
 *
 * @param {number} workers
 * @param {readonly (() => Promise<unknown>)[]} tasks
 */
export async function inParallel(workers, tasks) {
  const queue = tasks.values()
  const work = async () => {
    for (const task of queue) await task()
  }
  await Promise.all(Array.from({ length: workers }, work))
}

/** The outcome of the test files of a run. */
export class Results {
  files = 0
  passed = 0
  failed = 0
  /** @type {string[]} the reasons of the tests that were skipped */
  skipped = []
  /** @type {Set<string>} the files that have such tests, without those of {@link halves} */
  skipping = new Set()
  /** @type {Set<string>} the files that ran on Node.js, and of which only other hosts were skipped */
  halves = new Set()

  /**
   * Runs the bundle of a group of test files, and shows a line for each with what failed in it.
   *
   * @param {Module} module
   * @param {string} [hosts] on which of the hosts, see test/host/hosts.ts
   */
  async run({ file, group: { files, shared } }, hosts) {
    const started = performance.now()
    const child = spawn(process.execPath, ['--enable-source-maps', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...(shared && { TMPDIR: temporary }),
        TAP_TIMEOUT: String(timeouts.file),
        ...(hosts && { MINNOW_HOSTS: hosts })
      },
      timeout: timeouts.process * 1000,
      killSignal: 'SIGKILL'
    })
    const ended = new Promise((resolve) => child.on('close', (status, signal) => resolve(status ?? signal)))
    const expected = new Set(files)
    /** @type {string[]} */
    let inside = []
    let failed = 0
    let isSkipping = false
    let isHalf = true
    createInterface({ input: child.stderr }).on('line', (line) => inside.push(line))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, outcome, title = ''] = /^(ok|not ok) \d+ - (.*)$/.exec(line) ?? []
      const [, reason] = / # SKIP (.+)$/.exec(line) ?? []
      if (reason !== undefined) {
        this.skipped.push(reason)
        isSkipping = true
        isHalf &&= !shared && /^ok \d+ - on \S+ # SKIP/.test(line)
      }
      if (shared && outcome !== undefined) {
        const name = title.replace(/ # .*$/, '')
        expected.delete(name)
        if (isSkipping) this.skipping.add(name)
        isSkipping = false
        this.#show(outcome, title, inside)
        inside = []
      } else if (line.startsWith('# { total: ')) {
        failed = figure(line, 'fail')
        this.passed += figure(line, 'pass')
      } else inside.push(line)
    })
    const status = await ended
    const end = status === 0 ? '' : `, ended with ${status}`
    const time = ` # time=${Math.round(performance.now() - started)}ms${end}`
    if (isSkipping) (isHalf ? this.halves : this.skipping).add(files[0] ?? '')
    // A ring that ended too early has not reported all of its files.
    for (const name of expected) {
      this.#show(status === 0 && !shared ? 'ok' : 'not ok', name + time, inside)
      inside = []
    }
    const unseen = failed === 0 && (status !== 0 || (shared && expected.size > 0)) ? 1 : 0
    this.failed += failed + unseen
  }

  /**
   * @param {string} outcome
   * @param {string} title
   * @param {string[]} inside
   */
  #show(outcome, title, inside) {
    this.files += 1
    console.log(`${outcome} ${this.files} - ${title}`)
    const shown = outcome === 'not ok' ? failedPoints(inside) : comments(inside)
    if (shown.length > 0) console.log(shown.join('\n'))
  }
}

/** @param {string} folder */
function hasRoom(folder) {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= 2 ** 30
}

/**
 * @param {string} summary
 * @param {string} name
 */
function figure(summary, name) {
  return Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
}

/**
 * The output of a file besides its points.
 *
 * @param {string[]} lines
 */
function comments(lines) {
  return lines.filter((line) => /^ +# (?!Subtest: |time=|\{ )/.test(line))
}

/**
 * The failed points of a file with their diagnostics, and what the file printed besides TAP.
 *
 * @param {string[]} lines
 */
function failedPoints(lines) {
  let depth = -1
  return lines.filter((line) => {
    const indent = line.search(/\S/)
    const point = /^ *(not ok|ok) /.exec(line)
    if (point) depth = point[1] === 'not ok' ? indent : -1
    else if (indent >= 0 && indent <= depth) depth = -1
    return depth >= 0 || !/^ /.test(line)
  })
}
