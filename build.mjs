/**
 * Builds the product: `node build.mjs [--brand FILE] [--out DIR] [--binary [--arch ARCH] [--without FEATURES]
 * [--backends NAMES] [--objects]]`.
 *
 * `--without` names features that a binary does not have, with commas: see docs/binary.md. By default a binary has all, but
 * one that is flashed, ARMv7 or ARMv5, does not have `fleet,recording,terminal`.
 * `--backends` names the folders of `hal` whose back ends a binary has, with commas: by default all.
 * `--objects` keeps what the binary is linked from, with a script that links it anew (docs/third-parties.md).
 * `--handlers` and `--registries` (of BIOS attributes) name folders that take the place of the project's own.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Mistakes } from './runtime/build/checks/mistakes.mjs'
import { areInstalled } from './runtime/build/packages.mjs'
import { step } from './runtime/build/progress.mjs'

const root = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: {
    brand: { type: 'string', default: join(root, 'data/brand.json') },
    out: { type: 'string', default: join(root, 'dist') },
    handlers: { type: 'string', default: join(root, 'handlers') },
    registries: { type: 'string', default: join(root, 'registries/bios') },
    binary: { type: 'boolean', default: false },
    arch: { type: 'string', default: 'x86_64' },
    without: { type: 'string' },
    backends: { type: 'string', default: '' },
    objects: { type: 'boolean', default: false }
  }
})

installPackages()
const { buildProduct } = await import('./runtime/build/product.mjs')
const { Undelivered } = await import('./runtime/build/debian.mjs')
try {
  await buildProduct({
    brand: resolve(values.brand),
    out: resolve(values.out),
    handlers: resolve(values.handlers),
    registries: resolve(values.registries),
    arch: values.binary ? values.arch : undefined,
    without: values.without?.split(',').filter((name) => name !== ''),
    backends: values.backends === '' ? undefined : values.backends.split(','),
    objects: values.objects
  })
} catch (error) {
  if (!(error instanceof Mistakes || error instanceof Undelivered)) throw error
  process.stderr.write(`${error.message}\n`)
  // EX_TEMPFAIL of sysexits.h: the same may work later.
  process.exitCode = error instanceof Undelivered ? 75 : 1
}

/** `npm start` and `npm test` work in a plain clone, and after a pull: what is asked for is installed when it is not there. */
function installPackages() {
  const installed = join(root, 'node_modules/.package-lock.json')
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'))
  if (existsSync(installed) && areInstalled(read(join(root, 'package-lock.json')), read(installed))) return
  step('installing the packages of package-lock.json', () =>
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', process.stderr, 'inherit'] })
  )
}
