/**
 * Mbed TLS, compiled from the sources of Debian's package with the configuration in `runtime/embedded/mbedtls_config.h`:
 * Debian's own has everything that anybody may want, which is twice as large.
 */
/** @import { Command } from './command.mjs' */
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './command.mjs'
import { cacheFolder, moveIntoCache, patchedSource } from './debian.mjs'
import { versionsOf } from './objects.mjs'
import { sysroot } from './sysroot.mjs'

const configuration = resolve(dirname(fileURLToPath(import.meta.url)), '../embedded/mbedtls_config.h')

/** Debian's, with its checks of the stack and of lengths; and what the linker needs to leave out what nobody calls. */
const flags = [
  ...['-O2', '-fstack-protector-strong', '-fstack-clash-protection', '-D_FORTIFY_SOURCE=2'],
  ...['-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_TIME_BITS=64'],
  ...['-ffunction-sections', '-fdata-sections', '-fno-asynchronous-unwind-tables', '-fno-unwind-tables']
]

/** The cipher of most records is compiled with `-funroll-loops`: 4 % fewer instructions for 1 KB. */
const unrolled = ['chacha20.c', 'poly1305.c']

/**
 * The library for an architecture, from the cache; built when it is not there.
 *
 * @param {string} arch
 * @returns {{ folder: string, include: string, archive: string }} `folder` is named by what went into it, and has the terms
 *   of the library where a sysroot has those of its packages; `include`: folder of the headers; `archive`: file with the
 *   whole library
 */
export function mbedtls(arch) {
  const source = patchedSource('mbedtls')
  const { cc } = sysroot(arch)
  const parts = [basename(source), readFileSync(configuration, 'utf8'), versionsOf(cc[0]), ...cc, ...flags, ...unrolled]
  const key = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
  const folder = join(cacheFolder, `mbedtls-${arch}-${key}`)
  if (!existsSync(folder)) build(source, cc, folder)
  return { folder, include: join(folder, 'include'), archive: join(folder, 'libmbedtls.a') }
}

/**
 * @param {string} source folder
 * @param {Command} cc
 * @param {string} folder
 */
function build(source, [compiler, ...where], folder) {
  // -B is for the linker; here it would bring the vector instructions of another GCC (`arm_neon.h`).
  const target = where.filter((word) => !word.startsWith('-B'))
  const work = mkdtempSync(join(cacheFolder, 'tmp-'))
  try {
    const [made, objects] = [join(work, 'made'), join(work, 'objects')]
    const [include, doc] = [join(made, 'include'), join(made, 'usr/share/doc/mbedtls')]
    for (const each of [objects, doc]) mkdirSync(each, { recursive: true })
    cpSync(join(source, 'include'), include, { recursive: true })
    copyFileSync(configuration, join(include, 'mbedtls/mbedtls_config.h'))
    copyFileSync(join(source, 'debian/copyright'), join(doc, 'copyright'))
    const library = join(source, 'library')
    const compiling = ['-P', `${availableParallelism()}`, '-n8', compiler, ...target, ...flags, `-I${include}`, '-c']
    const compile = (/** @type {readonly string[]} */ names, /** @type {string[]} */ ...more) =>
      run(['xargs', ...compiling, ...more], {
        cwd: objects,
        input: names.map((name) => `${join(library, name)}\n`).join('')
      })
    compile(unrolled, '-funroll-loops')
    compile(readdirSync(library).filter((name) => name.endsWith('.c') && !unrolled.includes(name)))
    run(['ar', 'rcs', join(made, 'libmbedtls.a'), ...readdirSync(objects).map((name) => join(objects, name))])
    moveIntoCache(made, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
