/** Objects made of C, kept in the cache. */
/** @import { Command } from './command.mjs' */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './command.mjs'
import { cacheFolder } from './debian.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Flags for all C of the binary. Debian 13 has 64-bit times and offsets on every architecture, and structures of its
 * libraries hold them.
 */
export const language = [
  ...['-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_TIME_BITS=64'],
  ...['-Wall', '-Wextra', '-Wconversion', '-Werror']
]

/**
 * The C files that a path from the root of the tree stands for: a folder means all that are in it.
 *
 * @param {string} path
 */
export function sourcesOf(path) {
  if (path.endsWith('.c')) return [path]
  const names = readdirSync(join(root, path)).filter((name) => name.endsWith('.c'))
  return names.sort().map((name) => join(path, name))
}

/**
 * Compiles one file to an object in the cache, named by the command and the preprocessed text.
 *
 * @param {Command} command
 * @param {string} source path from the root of the tree
 * @returns path of the object
 */
export function compile(command, source) {
  const text = run([...command, '-E', '-P', join(root, source)])
  const key = createHash('sha256').update(command.join('\0')).update(source).update(text).digest('hex').slice(0, 32)
  const object = join(cacheFolder, 'objects', `${key}.o`)
  if (!existsSync(object)) {
    mkdirSync(dirname(object), { recursive: true })
    const fresh = `${object}.${process.pid}`
    run([...command, '-c', join(root, source), '-o', fresh])
    renameSync(fresh, object)
  }
  return object
}
