/** Objects made of C, kept in the cache. */
/** @import { Command } from './command.mjs' */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './command.mjs'
import { cacheFolder } from './debian.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
/** Directory of the headers of Node-API. */
export const nodeApi = join(root, 'node_modules/node-api-headers/include')
const { version: nodeApiVersion } = JSON.parse(readFileSync(join(nodeApi, '../package.json'), 'utf8'))

/**
 * Flags for all C of the binary. Debian 13 has 64-bit times and offsets on every architecture, and structures of its
 * libraries hold them.
 */
export const language = [
  ...['-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_TIME_BITS=64'],
  ...['-Wall', '-Wextra', '-Wconversion', '-Werror']
]

/**
 * The C files of a path from the root of the tree: for a folder, all files in it.
 *
 * @param {string} path
 */
export function sourcesOf(path) {
  if (path.endsWith('.c')) return [path]
  const names = readdirSync(join(root, path)).filter((name) => name.endsWith('.c'))
  return names.sort().map((name) => join(path, name))
}

/**
 * A source of ours with the headers of ours that it includes, as text. The folder of a sysroot is named by its content.
 *
 * @param {string} file
 * @param {Set<string>} seen
 * @returns {string}
 */
function ownText(file, seen = new Set()) {
  if (seen.has(file)) return ''
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  const headers = [...text.matchAll(/^\s*#\s*include\s+"(.+)"/gm)].map(([, name = '']) => {
    const header = [dirname(file), root].map((folder) => join(folder, name)).find((path) => existsSync(path))
    if (header === undefined) throw new Error(`no ${name}: ${file}`)
    return header
  })
  return [`${file}\n${text}`, ...headers.map((header) => ownText(header, seen))].join('\0')
}

/** @type {Map<string, string>} */
const versions = new Map()

/**
 * The versions of a compiler and, for builds without a sysroot, of the machine's own headers.
 *
 * @param {string} compiler
 */
export function versionsOf(compiler) {
  const headers = () => run(['dpkg-query', '-W', 'libc6-dev', 'linux-libc-dev'])
  const known = versions.get(compiler) ?? `${run([compiler, '--version'])}${headers()}${nodeApiVersion}`
  versions.set(compiler, known)
  return known
}

/**
 * Compiles one file to an object in the cache, named by a digest of its input.
 *
 * @param {Command} command
 * @param {string} source path from the root of the tree
 * @returns path of the object
 */
export function compile(command, source) {
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
