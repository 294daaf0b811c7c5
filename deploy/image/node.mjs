/**
 * Node.js as the host of the service on a board, in place of the binary: for those who work on the service, not for
 * products. It takes ten times the flash and the memory.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildNative } from '../../runtime/build/addon.mjs'
import { unpacked } from '../../runtime/build/debian.mjs'
import { architecture, sysroot } from '../../runtime/build/sysroot.mjs'

const top = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const home = '/usr/lib/minnow'
/** @type {Readonly<Record<string, string>>} */
const loaders = { armv7: 'ld-linux-armhf.so.3' }
const debianPackages = [
  'nodejs',
  '?reverse-depends(?exact-name(nodejs))',
  '?reverse-depends(?name(^libnode[0-9]+$))',
  'libzstd1'
]

/**
 * @param {string} arch
 * @param {string} work folder
 * @returns {Record<string, string>} source files by their paths in the image: Debian's Node.js, the service, and the
 *   packages that it imports
 */
export function nodeHost(arch, work) {
  const { debian, triplet } = architecture(arch)
  const loader = loaders[arch]
  if (loader === undefined) throw new Error(`Node.js has no image for ${arch}`)
  const folder = unpacked(`nodejs-${arch}`, debian, debianPackages)
  const { cc } = sysroot(arch)
  // The sysroot links statically; what an addon calls is in the libraries of Node.js.
  const { built, missing } = buildNative({ out: join(work, 'native'), compiler: [...cc, '-nostdlib'] })
  if (missing.length > 0) throw new Error(`Node.js on a board needs ${missing.join(' and ')}`)
  const node = join(folder, 'usr/bin/node')
  const libraries = join(folder, 'usr/lib', triplet)
  // Debian's Node.js has these outside its program.
  const scripts = join(folder, 'usr/share/nodejs')
  const builtins = readdirSync(scripts).filter((name) => name !== 'corepack')
  const program = join(work, 'minnow')
  // The builds for ARMv7 that packages bring along use NEON, which an AST2600 has not.
  writeFileSync(program, `#!/usr/bin/node\nprocess.env.ARM_VERSION = '6'\nimport('${home}/minnow.mjs')\n`)
  return {
    '/usr/bin/minnow': program,
    '/usr/bin/node': node,
    [`/lib/${loader}`]: join(libraries, loader),
    ...placed(needed([node], libraries), (name) => `/usr/lib/${triplet}/${name}`),
    ...placed(
      builtins.map((name) => join(scripts, name)),
      (name) => `/usr/share/nodejs/${name}`
    ),
    ...placed([join(top, 'dist/minnow.mjs'), join(top, 'dist/documents.bin')], (name) => `${home}/${name}`),
    ...placed(built, (name) => `${home}/native/${name}`),
    ...placed(imported(['level', 'undici']), (name) => `${home}/node_modules/${name}`)
  }
}

/**
 * @param {readonly string[]} sources
 * @param {(name: string) => string} place
 */
function placed(sources, place) {
  return Object.fromEntries(sources.map((source) => [place(basename(source)), source]))
}

/**
 * The libraries that programs are linked with, and those that these are.
 *
 * @param {readonly string[]} files
 * @param {string} folder of libraries
 * @param {Set<string>} [found]
 */
function needed(files, folder, found = new Set()) {
  for (const file of files) {
    const dynamic = execFileSync('readelf', ['-d', file], { encoding: 'utf8' })
    const names = [...dynamic.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name = '']) => join(folder, name))
    const fresh = names.filter((name) => !found.has(name))
    for (const name of fresh) found.add(name)
    needed(fresh, folder, found)
  }
  return [...found]
}

/**
 * The folders of packages, and of those that they depend on.
 *
 * @param {readonly string[]} names
 * @param {Set<string>} [found]
 */
function imported(names, found = new Set()) {
  for (const name of names) {
    const folder = join(top, 'node_modules', name)
    if (found.has(folder)) continue
    found.add(folder)
    imported(Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies ?? {}), found)
  }
  return [...found]
}
