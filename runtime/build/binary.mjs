/**
 * Builds the static binary: the bundle as QuickJS bytecode, our own C, and Debian 13's static libraries, in one file.
 *
 *   node runtime/build/binary.mjs --arch x86_64 --entry FILE.ts --out FILE   a program from TypeScript
 *   node runtime/build/binary.mjs --arch x86_64 --bundle FILE.mjs --out FILE [--documents FILE]
 *     [--sanitize] [--symbols]
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { cacheFolder, hostArch, sysroot } from './sysroot.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const embedded = join(root, 'runtime/embedded')
const nodeApi = join(root, 'node_modules/node-api-headers/include')
const { version: nodeApiVersion } = JSON.parse(readFileSync(join(nodeApi, '../package.json'), 'utf8'))

/**
 * Native modules by name: `minnow:<name>` is what their Node-API init function returns. A folder means all its C files;
 * `wraps` are functions of a library that the module takes the place of (ld's --wrap).
 */
const nativeModules = {
  local: { sources: ['runtime/embedded/local'], libraries: [] },
  system: { sources: ['runtime/embedded/system'], libraries: [] },
  flash: { sources: ['hal/native/flash.c', 'hal/native/flash_binding.c'], libraries: [] },
  gpio: { sources: ['hal/native/gpio.c', 'hal/native/gpio_binding.c'], libraries: [] },
  https: {
    sources: ['runtime/embedded/https', 'runtime/embedded/wire'],
    libraries: ['mbedtls', 'mbedx509', 'mbedcrypto', 'llhttp', 'sodium'],
    wraps: ['mbedtls_ecp_mul', 'mbedtls_ecp_mul_restartable', 'mbedtls_x509_crt_verify_restartable']
  },
  client: {
    sources: ['runtime/embedded/client', 'runtime/embedded/wire'],
    libraries: ['mbedtls', 'mbedx509', 'mbedcrypto', 'llhttp', 'cares', 'sodium'],
    wraps: ['mbedtls_ecp_mul', 'mbedtls_ecp_mul_restartable']
  },
  crypto: { sources: ['runtime/embedded/crypto'], libraries: ['mbedx509', 'mbedcrypto'] },
  leveldb: { sources: ['runtime/embedded/leveldb'], libraries: ['leveldb', 'snappy'] }
}

const engineSources = ['main.c', 'engine.c', 'encoding.c', 'nss.c', 'napi'].map((name) => `runtime/embedded/${name}`)

// Debian 13 has 64-bit times and offsets on every architecture, and structures of its libraries hold them.
const language = ['-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_TIME_BITS=64']
const warnings = ['-Wall', '-Wextra', '-Wconversion', '-Werror']
const optimise = [
  '-Os',
  '-ffunction-sections',
  '-fdata-sections',
  '-fno-asynchronous-unwind-tables',
  '-fno-unwind-tables'
]
const sanitizers = ['-O1', '-g', '-fno-omit-frame-pointer', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']

const fail = (message) => {
  throw new Error(message)
}

function run([command, ...args], options = {}) {
  const result = spawnSync(command, args, { maxBuffer: 1 << 28, ...options })
  if (result.error) throw result.error
  if (result.status !== 0)
    fail(`${command} failed (${result.status ?? result.signal}):\n${result.stderr}${result.stdout}`)
  return result.stdout
}

function sourcesOf(path) {
  if (path.endsWith('.c')) return [path]
  const names = readdirSync(join(root, path)).filter((name) => name.endsWith('.c'))
  return names.sort().map((name) => join(path, name))
}

/** A source of ours with the headers of ours that it includes, as text. The folder of a sysroot is named by its content. */
function ownText(file, seen = new Set()) {
  if (seen.has(file)) return ''
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  const included = [...text.matchAll(/^\s*#\s*include\s+"(.+)"/gm)].map(
    ([, name]) =>
      [dirname(file), root].map((folder) => join(folder, name)).find(existsSync) ?? fail(`no ${name}: ${file}`)
  )
  return [`${file}\n${text}`, ...included.map((header) => ownText(header, seen))].join('\0')
}

const tools = new Map()

/** The versions of a compiler and, for what is built without a sysroot, of the machine's own headers. */
function versionsOf(compiler) {
  if (!tools.has(compiler)) {
    const headers = run(['dpkg-query', '-W', 'libc6-dev', 'linux-libc-dev'])
    tools.set(compiler, `${run([compiler, '--version'])}${headers}${nodeApiVersion}`)
  }
  return tools.get(compiler)
}

/** Compiles one file to an object in the cache, named by what goes into it; returns its path. */
function compile(command, source) {
  const parts = [...command, versionsOf(command[0]), source, ownText(join(root, source))]
  const key = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)
  const object = join(cacheFolder, 'objects', `${key}.o`)
  if (!existsSync(object)) {
    mkdirSync(dirname(object), { recursive: true })
    const fresh = `${object}.${process.pid}`
    run([...command, '-c', join(root, source), '-o', fresh])
    renameSync(fresh, object)
  }
  return object
}

/** The program, built for this machine, that turns an ES module into bytecode; kept in the cache. */
function compiler() {
  const { cc, lib } = sysroot(hostArch)
  const object = compile([...cc, '-O1', ...language, ...warnings], 'runtime/embedded/compile.c')
  const program = object.replace(/\.o$/, '.compile')
  if (!existsSync(program)) {
    run([
      ...cc,
      '-static',
      object,
      join(lib, 'quickjs/libquickjs.a'),
      '-lm',
      '-lpthread',
      '-o',
      `${program}.${process.pid}`
    ])
    renameSync(`${program}.${process.pid}`, program)
  }
  return program
}

const importedModules = (bundle) =>
  new Set([...readFileSync(bundle, 'utf8').matchAll(/(?:from|import)\s*"minnow:([a-z]+)"/g)].map((match) => match[1]))

/**
 * Builds one program for `arch` (x86_64, armv7, aarch64) at `out` from `bundle`, an ESM file whose only imports are
 * `minnow:<name>`; only the native modules it imports are linked. `documents` is a file that the program exposes as
 * `minnow:documents`. `modules` adds native modules to the table, for tests. `sanitize` builds with AddressSanitizer and UBSan
 * in our own C, dynamically linked, for this machine only.
 * `symbols` leaves the names of functions in it, for profilers.
 * Stack traces give lines and columns of the bundle; its source map, if there is one, is put beside the program.
 * Throws an Error with the compiler's words.
 */
export function buildBinary({
  arch = hostArch,
  bundle,
  out,
  documents,
  modules = {},
  sanitize = false,
  symbols = false
}) {
  if (sanitize && arch !== hostArch) fail('a program with sanitizers is for the machine that builds it')
  const { cc, cxx, lib, include } = sysroot(arch)
  const table = { ...nativeModules, ...modules }
  const used = [...importedModules(bundle)].filter((name) => name !== 'engine' && name !== 'documents')
  const work = mkdtempSync(join(tmpdir(), 'minnow-build-'))
  try {
    const flags = [...(sanitize ? sanitizers : optimise), ...language, ...warnings, `-I${root}`, '-isystem', nodeApi]
    const compiling = sanitize ? ['gcc', '-idirafter', include] : cc
    const own = [...engineSources, ...(sanitize ? ['runtime/embedded/sanitize.c'] : [])]
    const objects = own.flatMap(sourcesOf).map((source) => compile([...compiling, ...flags], source))
    const libraries = []
    const wrapped = []
    const compiled = new Set()
    for (const name of used) {
      const {
        sources,
        libraries: needed,
        wraps = []
      } = table[name] ?? fail(`${bundle} imports minnow:${name}, which nobody makes`)
      const rename = [
        `-Dnapi_register_module_v1=${initOf(name)}`,
        `-Dnode_api_module_get_api_version_v1=${initOf(name)}_version`
      ]
      for (const source of sources.flatMap(sourcesOf)) {
        if (!compiled.has(source)) objects.push(compile([...compiling, ...flags, ...rename], source))
        compiled.add(source) // modules may share files
      }
      wrapped.push(...wraps.map((symbol) => `-Wl,--wrap=${symbol}`))
      libraries.push(...needed.filter((library) => !libraries.includes(library)))
    }
    run([compiler(), 'minnow', bundle, join(work, 'bytecode')])
    writeFileSync(join(work, 'tables.c'), tableOf(used))
    run([...compiling, ...flags, '-c', join(work, 'tables.c'), '-o', join(work, 'tables.o')])
    writeFileSync(join(work, 'embedded.S'), embed({ bytecode: join(work, 'bytecode'), documents }))
    mkdirSync(dirname(resolve(out)), { recursive: true })
    const archives = ['quickjs/libquickjs.a', 'libuv.a', ...libraries.map((name) => `lib${name}.a`)].map((name) =>
      join(lib, name)
    )
    const plusPlus = libraries.includes('leveldb')
    // An uncaught C++ exception ends the program without the demangler to spell its name.
    if (plusPlus) wrapped.push('-Wl,--defsym=_ZN9__gnu_cxx27__verbose_terminate_handlerEv=abort')
    const linking = sanitize
      ? [plusPlus ? 'g++' : 'gcc', ...sanitizers]
      : [...(plusPlus ? cxx : cc), '-static', ...(symbols ? [] : ['-s']), '-Wl,--gc-sections']
    run([
      ...linking,
      ...wrapped,
      join(work, 'tables.o'),
      join(work, 'embedded.S'),
      ...objects,
      '-Wl,--start-group',
      ...archives,
      '-Wl,--end-group',
      '-lm',
      '-lpthread',
      '-o',
      `${out}.${process.pid}`
    ])
    renameSync(`${out}.${process.pid}`, out)
    if (existsSync(`${bundle}.map`)) copyFileSync(`${bundle}.map`, `${out}.map`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const initOf = (name) => `minnow_module_${name}`

const tableOf = (names) => `#include "runtime/embedded/napi/modules.h"
${names.map((name) => `napi_value ${initOf(name)}(napi_env env, napi_value exports);\n`).join('')}
const struct native_module native_modules[] = {
${names.map((name) => `  { "${name}", ${initOf(name)} },\n`).join('')}  { NULL, NULL }
};
`

const embed = (files) =>
  `.section .rodata\n${Object.entries(files)
    .map(
      ([name, file]) => `
.global embedded_${name}, embedded_${name}_end
.balign 16
embedded_${name}:
${file ? `.incbin "${resolve(file)}"` : ''}
embedded_${name}_end:
.byte 0
`
    )
    .join('')}.section .note.GNU-stack,"",%progbits\n`

const plain = (name) => name.replace(/^node:/, '')

/** esbuild plugin: Node's modules, and the packages that only work there, are the drop-ins of `modules/`. */
const dropIns = {
  name: 'drop-ins',
  setup({ onResolve }) {
    const own = new Map(
      readdirSync(join(embedded, 'modules')).map((name) => [parse(name).name, join(embedded, 'modules', name)])
    )
    onResolve({ filter: /^minnow:/ }, ({ path }) => ({ path, external: true }))
    onResolve({ filter: /^#hal\/native$/ }, () => ({ path: own.get('native') }))
    onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_]+)?$/ }, ({ path, importer }) => {
      const name = plain(path).replace('/', '_')
      if (own.has(name)) return { path: own.get(name) }
      if (builtinModules.includes(plain(path))) {
        return { errors: [{ text: `the binary has no drop-in for ${path}, imported by ${importer}` }] }
      }
    })
  }
}

/**
 * Bundles `entry` for the engine into the one ESM file `out`: the globals first, then the entry, with drop-ins in place of
 * Node's modules. `define`, `alias` and `plugins` as esbuild has them. Returns esbuild's result with its metafile.
 */
export async function embeddedBundle({ entry, out, define = {}, alias = {}, plugins = [], minify = true }) {
  return build({
    stdin: {
      contents: `import ${JSON.stringify(join(embedded, 'modules/globals.ts'))}\nimport ${JSON.stringify(resolve(entry))}\n`,
      resolveDir: root,
      sourcefile: 'entry.js'
    },
    outfile: out,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    conditions: ['import', 'module'],
    define: { global: 'globalThis', ...define },
    alias,
    plugins: [dropIns, ...plugins],
    minify,
    sourcemap: 'external',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning'
  })
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', default: hostArch },
      entry: { type: 'string' },
      bundle: { type: 'string' },
      out: { type: 'string' },
      documents: { type: 'string' },
      sanitize: { type: 'boolean', default: false },
      symbols: { type: 'boolean', default: false }
    }
  })
  if (!values.out || !values.entry === !values.bundle)
    fail('usage: build.mjs [--arch ARCH] (--entry FILE.ts | --bundle FILE.mjs) --out FILE')
  const bundle = values.bundle ?? join(mkdtempSync(join(tmpdir(), 'minnow-bundle-')), `${basename(values.out)}.mjs`)
  try {
    if (values.entry) await embeddedBundle({ entry: values.entry, out: bundle })
    buildBinary({ ...values, bundle })
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    if (values.entry) rmSync(dirname(bundle), { recursive: true, force: true })
  }
}
