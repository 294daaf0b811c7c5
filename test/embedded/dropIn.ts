/**
 * The binary's own modules, loaded into Node.js: the C of `runtime/embedded/<folder>` as an addon with the static libraries
 * of the binary's sysroot, and the TypeScript of `runtime/embedded/modules` bundled on top of it.
 */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Test } from 'tap'

const load = (name: string) => import(pathToFileURL(`runtime/build/${name}.mjs`).href)
const { mbedtls } = await load('mbedtls')
const { available, sysroot, hostArch } = await load('sysroot')

/** Set in the second run of a file, with AddressSanitizer and UBSan. */
export const sanitized = process.env.MINNOW_TEST_SANITIZED !== undefined

const missing: string[] = available(hostArch)
/** A reason to leave out what needs a compiler and the sysroot; under CI nothing is left out. */
export const skip = missing.length > 0 && process.env.CI !== 'true' && `it needs ${missing.join(', ')}`

const libraries: Record<string, { static: string[]; shared: string[]; tls?: true }> = {
  crypto: { static: [], shared: [], tls: true },
  gzip: { static: ['z'], shared: [] },
  leveldb: { static: ['leveldb', 'snappy'], shared: ['-lstdc++'] }
}

function run(command: string, ...args: string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} failed:\n${stderr}`)
}

/** A folder of this process's own, inside the tree so that packages are found from there, and gone with the process. */
export const workFolder = resolve(`dist/embedded/test-${process.pid}`)
mkdirSync(workFolder, { recursive: true })
process.once('exit', () => rmSync(workFolder, { recursive: true, force: true }))

/**
 * Compiles `runtime/embedded/<name>` to a Node.js addon and returns its path. Debian's static libraries are made for
 * executables: their symbols are hidden first, so that the linker can put them into a shared object.
 */
function addon(name: string): string {
  const { lib, include } = sysroot(hostArch)
  const headers = resolve(dirname(createRequire(import.meta.url).resolve('node-api-headers/package.json')), 'include')
  const source = `runtime/embedded/${name}`
  const { static: names, shared, tls } = libraries[name]!
  const archives = [...names.map((name) => join(lib, `lib${name}.a`)), ...(tls ? [mbedtls(hostArch).archive] : [])]
  const checks = sanitized
    ? ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer', '-g']
    : []
  const objects = readdirSync(source)
    .filter((file) => file.endsWith('.c'))
    .map((file) => {
      const flags = [
        '-std=gnu11',
        '-D_GNU_SOURCE',
        '-O1',
        '-fPIC',
        '-Wall',
        '-Wextra',
        '-Wconversion',
        '-Werror',
        ...checks
      ]
      run(
        'gcc',
        ...flags,
        '-I.',
        `-I${headers}`,
        ...(tls ? ['-isystem', mbedtls(hostArch).include] : []),
        '-idirafter',
        include,
        '-c',
        join(source, file),
        '-o',
        join(workFolder, `${file}.o`)
      )
      return join(workFolder, `${file}.o`)
    })
  const whole = join(workFolder, 'whole.o')
  run('ld', '-r', '-o', whole, ...objects, '--start-group', ...archives, '--end-group')
  run('objcopy', '--wildcard', '-G', 'napi_register_module_v*', '-G', 'node_api_module_get_api_version_v*', whole)
  run('gcc', '-shared', ...checks, '-o', join(workFolder, `${name}.node`), whole, ...shared)
  return join(workFolder, `${name}.node`)
}

/** The exports of `runtime/embedded/modules/<module>.ts`, over the C of `native`. */
export async function dropIn(module: string, native: string) {
  const path = addon(native)
  const outfile = join(dirname(path), `${module}.mjs`)
  const binding = `import { createRequire } from 'node:module'
    export default createRequire(import.meta.url)(${JSON.stringify(path)})`
  await build({
    entryPoints: [`runtime/embedded/modules/${module}.ts`],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    plugins: [
      {
        name: 'native',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^minnow:/ }, ({ path }) => ({ path, namespace: 'native' }))
          onLoad({ filter: /./, namespace: 'native' }, () => ({ contents: binding }))
        }
      }
    ]
  })
  return import(pathToFileURL(outfile).href)
}

/**
 * Runs the compiled test `file` once more, with the addon under AddressSanitizer and UBSan (whose library the process has to
 * load first), and wants it to pass and to have said `proof`.
 */
export async function passesUnderSanitizers(t: Test, file: string, proof: RegExp): Promise<void> {
  const library = spawnSync('gcc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim()
  const again = spawn(process.execPath, [file], {
    // Node.js itself leaks at exit by design.
    env: { ...process.env, MINNOW_TEST_SANITIZED: '1', LD_PRELOAD: library, ASAN_OPTIONS: 'detect_leaks=0' }
  })
  let output = ''
  for (const stream of [again.stdout, again.stderr]) {
    stream.on('data', (data) => {
      output += data
    })
  }
  const [status] = await once(again, 'close')
  t.equal(status, 0, output.slice(-4000))
  t.match(output, proof, 'and it did run')
}
