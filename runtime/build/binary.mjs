/**
 * Builds the static binary: the bundle as QuickJS bytecode, our own C, and Debian 13's static libraries, in one file.
 *
 *   node runtime/build/binary.mjs --arch x86_64 --entry FILE.ts --out FILE   a program from TypeScript
 *   node runtime/build/binary.mjs --arch x86_64 --bundle FILE.mjs --out FILE [--documents FILE]
 *     [--sanitize] [--symbols] [--compare]
 */
/** @import { Command } from './command.mjs' */
/** @import { NativeModule } from './native-modules.mjs' */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { embeddedBundle, partsOf } from './bundle.mjs'
import { sourceMapOf, writeBytecode } from './bytecode.mjs'
import { run } from './command.mjs'
import { mbedtls } from './mbedtls.mjs'
import { nativeModules } from './native-modules.mjs'
import { compile, language, nodeApi, sourcesOf } from './objects.mjs'
import { opensslMembers } from './openssl.mjs'
import { quickjs } from './quickjs.mjs'
import { keepObjects } from './relink.mjs'
import { architecture, hostArch, sysroot } from './sysroot.mjs'
import { temporaryFolder } from './temporary.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

const engineSources = [
  ...['main.c', 'seccomp.c', 'seccomp_program.c', 'engine.c', 'bytecode.c', 'heap.c', 'encoding.c', 'nss.c', 'napi']
].map((name) => `runtime/embedded/${name}`)

const optimise = [
  ...['-Os', '-ffunction-sections', '-fdata-sections'],
  ...['-fno-asynchronous-unwind-tables', '-fno-unwind-tables']
]
/** For our own C in tests. */
export const sanitizers = [
  ...['-O1', '-g', '-fno-omit-frame-pointer'],
  ...['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
]

/**
 * The modules of a bundle, by their names in the program: the main one, and its parts.
 *
 * @param {string} bundle
 */
function modulesOf(bundle) {
  const folder = partsOf(bundle)
  const parts = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.map')) : []
  return [{ name: 'minnow', file: bundle }, ...parts.sort().map((name) => ({ name, file: join(folder, name) }))]
}

/** @param {readonly { readonly file: string }[]} modules */
function importedModules(modules) {
  const names = new Set(
    modules.flatMap(({ file }) => {
      const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"minnow:([a-z]+)"/g)
      return Array.from(found, ([, name = '']) => name)
    })
  )
  return [...names].filter((name) => name !== 'engine' && name !== 'documents')
}

/**
 * A program to be built.
 *
 * @typedef {object} Program
 * @property {string} [arch] one that {@link architecture} knows; without it that of this machine
 * @property {string} bundle ES module whose only imports are `minnow:<name>`, and its own parts; only the native modules that it imports
 *   are linked
 * @property {string} out file
 * @property {string | undefined} [documents] file that the program has as `minnow:documents`
 * @property {Readonly<Record<string, NativeModule>>} [modules] further native modules, for tests
 * @property {readonly string[]} [defines] macros for our own C
 * @property {boolean} [sanitize] with AddressSanitizer and UBSan in our own C, dynamically linked, for this machine
 *   only
 * @property {boolean} [compare] that renders each answer that it would repeat again, and aborts if they differ
 * @property {string | undefined} [objects] folder for the linked files, and a script that links them again
 * @property {boolean} [symbols] with the names of functions, for profilers, and a linker map beside it
 */

/**
 * Builds one program. Stack traces name places in the bytecode: if the bundle has a source map, a map of these is put
 * beside the program.
 *
 * @param {Program} program
 * @throws {Error} with the compiler's words
 */
export function buildBinary({
  arch = hostArch,
  bundle,
  out,
  documents,
  modules = {},
  defines = [],
  sanitize = false,
  compare = false,
  symbols = false,
  objects: objectsFolder
}) {
  if (sanitize && arch !== hostArch) throw new Error('a program with sanitizers is for the machine that builds it')
  const { cc, cxx, lib, gcc, include, ownInclude } = sysroot(arch)
  const table = { ...nativeModules, ...modules }
  const own = modulesOf(bundle)
  const used = importedModules(own)
  const { path: work, remove } = temporaryFolder()
  try {
    const engine = quickjs(arch)
    const tls = used.some((name) => table[name]?.mbedtls) ? mbedtls(arch) : undefined
    const flags = [
      ...(sanitize ? sanitizers : optimise),
      ...(compare ? ['-DCOMPARE_REPEATS'] : []),
      ...defines.map((name) => `-D${name}`),
      ...language,
      `-I${root}`,
      ...[nodeApi, engine.include, ...(tls ? [tls.include] : [])].flatMap((folder) => ['-isystem', folder])
    ]
    /** @type {Command} */
    const compiling = sanitize ? ['gcc', '-idirafter', include, '-idirafter', ownInclude] : cc
    const sources = [...engineSources, ...(sanitize ? ['runtime/embedded/sanitize.c'] : [])]
    const objects = sources.flatMap(sourcesOf).map((source) => compile([...compiling, ...flags], source))
    /** @type {string[]} */
    const libraries = []
    const wrapped = []
    const compiled = new Set()
    for (const name of used) {
      const module = table[name]
      if (module === undefined) throw new Error(`${bundle} imports minnow:${name}, which does not exist`)
      const rename = [
        `-Dnapi_register_module_v1=${initOf(name)}`,
        `-Dnode_api_module_get_api_version_v1=${initOf(name)}_version`
      ]
      for (const source of module.sources.flatMap(sourcesOf)) {
        if (!compiled.has(source)) objects.push(compile([...compiling, ...flags, ...rename], source))
        compiled.add(source) // modules may share files
      }
      wrapped.push(...(module.wraps ?? []).map((symbol) => `-Wl,--wrap=${symbol}`))
      libraries.push(...module.libraries.filter((library) => !libraries.includes(library)))
    }
    if (tls) objects.push(...opensslMembers(arch, lib, join(work, 'openssl')))
    let functions = 0
    const written = own.map(({ name, file }, index) => {
      const [bytecode, before] = [join(work, `bytecode_${index}`), functions]
      const { positions, count } = writeBytecode(name, file, bytecode, before)
      functions = count
      return { name, file, bytecode, before, positions }
    })
    writeFileSync(join(work, 'tables.c'), `${tableOf(used)}${bytecodeTableOf(written)}`)
    run([...compiling, ...flags, '-c', join(work, 'tables.c'), '-o', join(work, 'tables.o')])
    const files = Object.fromEntries(written.map(({ bytecode }, index) => [`bytecode_${index}`, bytecode]))
    writeFileSync(join(work, 'embedded.S'), embed({ ...files, documents }))
    run([...compiling, '-c', join(work, 'embedded.S'), '-o', join(work, 'embedded.o')])
    objects.unshift(join(work, 'tables.o'), join(work, 'embedded.o'))
    mkdirSync(dirname(resolve(out)), { recursive: true })
    const names = ['uv', 'lzma', ...libraries].map((name) => join(lib, `lib${name}.a`))
    const ofCompiler = (architecture(arch).libraries ?? []).map((name) => join(gcc, `lib${name}.a`))
    const archives = [engine.archive, ...names, ...(tls ? [tls.archive] : []), ...ofCompiler]
    const plusPlus = libraries.includes('leveldb')
    // An uncaught C++ exception ends the program without the demangler to spell its name.
    if (plusPlus) wrapped.push('-Wl,--defsym=_ZN9__gnu_cxx27__verbose_terminate_handlerEv=abort')
    /** @type {Command} */
    const command = sanitize ? [plusPlus ? 'g++' : 'gcc', ...sanitizers] : plusPlus ? cxx : cc
    const linking = [
      ...(sanitize ? [] : ['-static', ...[symbols ? `-Wl,-Map=${out}.sections` : '-s', '-Wl,--gc-sections']]),
      ...wrapped
    ]
    run([
      ...command,
      ...[...linking, ...objects],
      ...['-Wl,--start-group', ...archives, '-Wl,--end-group', '-lm', '-lpthread'],
      ...['-o', `${out}.${process.pid}`]
    ])
    if (objectsFolder !== undefined) keepObjects(objectsFolder, { command, flags: linking, objects, archives })
    renameSync(`${out}.${process.pid}`, out)
    if (existsSync(`${bundle}.map`)) {
      const maps = written.map(({ file, positions }) => ({ positions, map: readFileSync(`${file}.map`, 'utf8') }))
      writeFileSync(`${out}.map`, sourceMapOf(maps))
    }
  } finally {
    remove()
  }
}

/** @param {string} name */
const initOf = (name) => `minnow_module_${name}`

/**
 * C that lists the native modules.
 *
 * @param {readonly string[]} names
 */
const tableOf = (names) => `#include "runtime/embedded/napi/modules.h"
${names.map((name) => `napi_value ${initOf(name)}(napi_env env, napi_value exports);\n`).join('')}
const struct native_module native_modules[] = {
${names.map((name) => `  { "${name}", ${initOf(name)} },\n`).join('')}  { NULL, NULL }
};
`

/**
 * C that lists the modules of the bundle.
 *
 * @param {readonly { readonly name: string, readonly before: number }[]} modules
 */
const bytecodeTableOf = (modules) => `#include "runtime/embedded/bytecode.h"
extern const uint8_t ${modules.map((_, index) => `embedded_bytecode_${index}[], embedded_bytecode_${index}_end[]`).join(', ')};
const struct bytecode_module bytecode_modules[] = {
${modules
  .map(({ name, before }, index) => {
    const bytecode = `embedded_bytecode_${index}`
    return `  { ${JSON.stringify(name)}, ${bytecode}, ${bytecode}_end, ${before} },\n`
  })
  .join('')}  { NULL, NULL, NULL, 0 }
};
`

/**
 * Assembler that has files in it, as `embedded_<name>`.
 *
 * @param {Readonly<Record<string, string | undefined>>} files
 */
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

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', default: hostArch },
      entry: { type: 'string' },
      bundle: { type: 'string' },
      out: { type: 'string' },
      documents: { type: 'string' },
      sanitize: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      symbols: { type: 'boolean', default: false }
    }
  })
  const { entry, out, ...options } = values
  if (!out || !entry === !values.bundle)
    throw new Error('usage: binary.mjs [--arch ARCH] (--entry FILE.ts | --bundle FILE.mjs) --out FILE')
  const { path, remove } = temporaryFolder()
  const bundle = values.bundle ?? join(path, `${basename(out)}.mjs`)
  try {
    if (entry) await embeddedBundle({ entry, out: bundle })
    buildBinary({ ...options, bundle, out })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  } finally {
    remove()
  }
}
