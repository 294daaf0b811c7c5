/** Static libraries that are compiled from the sources of Debian's packages, because Debian's own do not fit. */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { run } from './command.mjs'
import { cacheFolder, moveIntoCache, patchedSource } from './debian.mjs'
import { versionsOf } from './objects.mjs'
import { patched } from './patch.mjs'
import { step } from './progress.mjs'
import { sysroot } from './sysroot.mjs'
import { temporaryFolder } from './temporary.mjs'

/** The sizes that the whole binary shares, and the flags with which the linker drops unused functions. */
const always = [
  ...['-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_TIME_BITS=64'],
  ...['-ffunction-sections', '-fdata-sections', '-fno-asynchronous-unwind-tables', '-fno-unwind-tables']
]

/**
 * How a library is built.
 *
 * @typedef {object} Recipe
 * @property {string} name of the source package
 * @property {readonly string[]} flags for all of its files
 * @property {string} [patch] file with changes to its source
 * @property {(source: string) => { files: readonly string[], flags?: readonly string[] }[]} files C files in the folder
 *   of the source, and more flags for them
 * @property {(source: string, include: string) => void} headers puts them into a folder
 * @property {string} [configuration] text of what `headers` puts there beside those of the source
 * @property {Readonly<Record<string, string>>} [terms] licences of these headers, by the name of their project
 */

/**
 * The library for an architecture, from the cache; built when it is not there.
 *
 * @param {string} arch
 * @param {Recipe} recipe
 * @returns {{ folder: string, include: string, archive: string }} `folder` is named by what went into it, and has the
 *   terms of the library where a sysroot has those of its packages; `include`: folder of the headers; `archive`: file
 *   with the whole library
 */
export function library(arch, recipe) {
  const { name, flags, patch, configuration = '' } = recipe
  const source = patchedSource(name)
  const { cc } = sysroot(arch)
  const parts = [basename(source), versionsOf(cc[0]), ...cc, ...always, ...flags]
  const files = JSON.stringify(
    recipe.files(source).map((group) => ({ ...group, files: group.files.map((file) => basename(file)) }))
  )
  const key = createHash('sha256')
    .update([...parts, files, configuration, patch ? readFileSync(patch, 'utf8') : ''].join('\0'))
    .digest('hex')
    .slice(0, 16)
  const folder = join(cacheFolder, `${name}-${arch}-${key}`)
  const archive = `lib${name}.a`
  if (!existsSync(folder)) step(`compiling ${name} for ${arch}`, () => build(recipe, { source, cc, folder, archive }))
  return { folder, include: join(folder, 'include'), archive: join(folder, archive) }
}

/**
 * @param {Recipe} recipe
 * @param {{ source: string, cc: import('./command.mjs').Command, folder: string, archive: string }} to
 */
function build(
  { name, flags, patch, files, headers, terms = {} },
  { source: original, cc: [compiler, ...where], folder, archive }
) {
  // -B is for the linker; here it would bring the vector instructions of another GCC (`arm_neon.h`).
  const target = where.filter((word) => !word.startsWith('-B'))
  const { path: work, remove } = temporaryFolder(cacheFolder)
  try {
    const source = patch ? patched(original, patch, join(work, 'source')) : original
    const [made, objects] = [join(work, 'made'), join(work, 'objects')]
    const include = join(made, 'include')
    const docOf = (/** @type {string} */ project) => join(made, 'usr/share/doc', project)
    for (const each of [objects, include, ...[name, ...Object.keys(terms)].map(docOf)])
      mkdirSync(each, { recursive: true })
    headers(source, include)
    copyFileSync(join(source, 'debian/copyright'), join(docOf(name), 'copyright'))
    for (const [project, text] of Object.entries(terms)) writeFileSync(join(docOf(project), 'copyright'), text)
    // Assertions contain file names, which must not reveal the folder of the build.
    const compiling = [
      compiler,
      ...target,
      ...always,
      ...flags,
      `-ffile-prefix-map=${source}=${name}`,
      `-I${include}`,
      '-c'
    ]
    for (const group of files(source)) {
      run(['xargs', '-P', `${availableParallelism()}`, '-n8', ...compiling, ...(group.flags ?? [])], {
        cwd: objects,
        input: group.files.map((file) => `${file}\n`).join('')
      })
    }
    run(['ar', 'rcs', join(made, archive), ...readdirSync(objects).map((object) => join(objects, object))])
    moveIntoCache(made, folder)
  } finally {
    remove()
  }
}
