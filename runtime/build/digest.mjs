/** A file is built again when something that it was made from has changed. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const own = ['build.mjs', 'package.json', 'package-lock.json', 'handlers', 'runtime', 'hal', 'data', 'registries']

/**
 * The SHA-256 of everything that a build depends on: Node.js, the sources, the installed packages, and `more`.
 *
 * @param {readonly string[]} more files and folders
 */
export function digestOf(more) {
  const hash = createHash('sha256').update(process.version)
  const paths = [...own.map((name) => join(root, name)), ...more].filter((path) => existsSync(path))
  for (const file of paths.flatMap(filesIn)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** @param {string} path a file, or a folder with files at any depth */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { encoding: 'utf8', recursive: true })
    .sort()
    .map((name) => join(path, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
}

/**
 * Whether a file was made from sources with this digest. If not, removes its note.
 *
 * @param {string} digest
 * @param {string} file
 */
export function isMadeFrom(digest, file) {
  const note = noteOf(file)
  if (existsSync(file) && existsSync(note) && readFileSync(note, 'utf8') === digest) return true
  rmSync(note, { force: true })
  return false
}

/**
 * Writes the digest of its sources beside a complete file.
 *
 * @param {string} digest
 * @param {string} file
 */
export function noteDigest(digest, file) {
  writeFileSync(noteOf(file), digest)
}

/** @param {string} file */
const noteOf = (file) => `${file}.sha256`
