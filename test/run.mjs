/**
 * Bundles the tests named on the command line, or all of them, and runs them with tap. The last line is
 * `N passed, N failed`. Without names the binaries are built first, where this machine has the tools.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { available } from '../runtime/build/sysroot.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const named = process.argv.slice(2)
// Runs of named tests may go on side by side.
const out = named.length === 0 ? 'dist/test' : `dist/test-${process.pid}`
process.chdir(root)

const leftOut = named.length === 0 ? buildBinaries(['x86_64', 'armv7', 'aarch64']) : []
const files = named.length === 0 ? find('test') : named
const bundled = await bundle(files.map((file) => relative(root, join(root, file))))
const { status, passed, failed } = await runTap(bundled)
if (named.length > 0) rmSync(out, { recursive: true })
for (const line of leftOut) console.log(`left out: ${line}`)
const unseen = status !== 0 && failed === 0 ? 1 : 0
console.log(`${passed} passed, ${failed + unseen} failed`)
process.exitCode = failed + unseen + (process.env.CI === 'true' ? leftOut.length : 0) > 0 ? 1 : 0

/** @returns a line for each that cannot be built here, with how to get what is missing */
function buildBinaries(architectures) {
  return architectures.flatMap((arch) => {
    const missing = available(arch)
    if (missing.length > 0) return [`the ${arch} binary and its tests: install ${missing.join(', ')}`]
    const { status } = spawnSync(process.execPath, ['build.mjs', '--binary', '--arch', arch], { stdio: 'inherit' })
    return status === 0 ? [] : [`the ${arch} binary and its tests: it did not build`]
  })
}

function find(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.split(sep).includes('fixtures'))
    .map((name) => join(folder, name))
    .sort()
}

/** Each test becomes one file; packages and what is built stay outside of it. */
async function bundle(files) {
  rmSync(out, { recursive: true, force: true })
  await build({
    entryPoints: files.map((file) => ({ in: file, out: relative('test', file).replace(/\.ts$/, '') })),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    alias: {
      '#generated': join(root, 'dist/generated/index.ts')
    },
    external: ['*.node'],
    logLevel: 'warning'
  })
  return files.map((file) => join(out, relative('test', file).replace(/\.ts$/, '.mjs')))
}

/** Shows a line for each file and what failed in it; the figures are assertions, from tap's own summary. */
async function runTap(bundled) {
  const flags = ['--disable-coverage', '--jobs=2', '--timeout=900', '--reporter=tap']
  const tap = spawn(process.execPath, ['node_modules/tap/dist/esm/run.mjs', 'run', ...flags, ...bundled], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = new Promise((resolve) => tap.on('close', resolve))
  let inside = []
  let summary = ''
  for await (const line of createInterface({ input: tap.stdout })) {
    if (line.startsWith('# {')) summary = line
    if (/^(ok|not ok) /.test(line)) {
      console.log(line)
      if (line.startsWith('not ok')) console.log(failures(inside).join('\n'))
      inside = []
    } else inside.push(line)
  }
  const figure = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  return { status: await ended, passed: figure('pass'), failed: figure('fail') }
}

/** The failed points of a file with their diagnostics, and what the file printed besides TAP. */
function failures(lines) {
  let depth = -1
  return lines.filter((line) => {
    const indent = line.search(/\S/)
    const point = /^ *(not ok|ok) /.exec(line)
    if (point) depth = point[1] === 'not ok' ? indent : -1
    else if (depth >= 0 && indent <= depth) depth = -1
    return depth >= 0 || !/^ /.test(line)
  })
}
