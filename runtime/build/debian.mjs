/** Packages of Debian 13 and their sources, unpacked into a cache folder outside the tree. */
/** @import { SourceType } from './apt.mjs' */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { configureApt, reason } from './apt.mjs'
import { run } from './command.mjs'
import { step } from './progress.mjs'
import { temporaryFolder } from './temporary.mjs'

/** Debian's mirror does not deliver what a build needs: no fault of the tree, and it may be over in an hour. */
export class Undelivered extends Error {}

const maxAgeMs = 7 * 24 * 3600 * 1000

/** Where this is kept, and what else takes long to build. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'minnow')

/**
 * How something is fetched from Debian.
 *
 * @typedef {object} Kind
 * @property {SourceType} type
 * @property {readonly string[]} command of apt-get
 * @property {(file: string, root: string) => void} unpack extracts the fetched file into a folder
 */

/**
 * Packages, as they are installed.
 *
 * @type {Kind}
 */
const binary = { type: 'deb', command: ['download'], unpack: (file, root) => run(['dpkg-deb', '-x', file, root]) }

/**
 * Sources, as their authors publish them.
 *
 * @type {Kind}
 */
const source = {
  type: 'deb-src',
  command: ['source', '--download-only', '--tar-only'],
  unpack(file, root) {
    mkdirSync(root)
    run(['tar', '-xf', file, '-C', root, '--strip-components=1'])
  }
}

/**
 * Sources, with the changes that Debian makes to them.
 *
 * @type {Kind}
 */
const patched = {
  type: 'deb-src',
  command: ['source', '--download-only'],
  unpack(file, root) {
    if (file.endsWith('.dsc')) run(['dpkg-source', '--no-check', '-x', file, root]) // apt has checked what it fetched
  }
}

/**
 * The folder that Debian 13's `packages` for the architecture that Debian calls `debian` are unpacked in, under `label`
 * in the cache. Replaced after a week: Debian may have published a fix since.
 *
 * @param {string} label
 * @param {string} debian
 * @param {readonly string[]} packages
 */
export function unpacked(label, debian, packages) {
  return kept(label, debian, packages, binary)
}

/**
 * The same for the sources that Debian 13 builds a package from.
 *
 * @param {string} name
 * @param {string} debian
 */
export function unpackedSource(name, debian) {
  return kept(`source-${name}`, debian, [name], source)
}

/**
 * The same with Debian's changes, for every architecture.
 *
 * @param {string} name
 */
export function patchedSource(name) {
  return kept(`patched-${name}`, 'amd64', [name], patched)
}

/**
 * @param {string} label
 * @param {string} debian
 * @param {readonly string[]} packages
 * @param {Kind} kind
 * @returns {string}
 */
function kept(label, debian, packages, kind) {
  const listed = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8)
  const current = join(cacheFolder, `${label}-${listed}.json`)
  let known
  if (existsSync(current)) {
    const { name, made } = JSON.parse(readFileSync(current, 'utf8'))
    if (existsSync(join(cacheFolder, name))) known = { folder: join(cacheFolder, name), made }
  }
  if (known && Date.now() - known.made <= maxAgeMs) return known.folder
  try {
    const folder = step(`fetching ${label} from Debian`, () => download(label, debian, packages, kind))
    writeFileSync(`${current}.${process.pid}`, JSON.stringify({ name: basename(folder), made: Date.now() }))
    renameSync(`${current}.${process.pid}`, current)
    return folder
  } catch (error) {
    if (!known) throw new Undelivered(`${label}: ${reason(error)}`)
    const since = new Date(known.made).toISOString().slice(0, 10)
    process.stderr.write(`${label} stays as it was fetched on ${since}: ${reason(error)}\n`)
    return known.folder
  }
}

/**
 * @param {string} label
 * @param {string} debian
 * @param {readonly string[]} packages
 * @param {Kind} kind
 * @returns {string} a folder whose name depends on the versions of the packages
 */
function download(label, debian, packages, { type, command, unpack }) {
  mkdirSync(cacheFolder, { recursive: true })
  const { path: work, remove } = temporaryFolder(cacheFolder)
  try {
    const apt = configureApt(work, debian, type)
    const wanted = run(['apt-get', '-q', ...command, '--print-uris', ...packages], apt)
      .split('\n')
      .filter((line) => line.startsWith("'"))
      .map((line) => line.split(' ').slice(1).join(' '))
      .sort()
      .join('\n')
    const name = `${label}-${createHash('sha256').update(wanted).digest('hex').slice(0, 16)}`
    const folder = join(cacheFolder, name)
    if (!existsSync(folder)) {
      run(['apt-get', '-q', ...command, ...packages], apt)
      const root = join(work, 'root')
      for (const file of readdirSync(apt.cwd)) unpack(join(apt.cwd, file), root)
      writeFileSync(join(root, 'packages'), `${wanted}\n`)
      moveIntoCache(root, folder)
    }
    return folder
  } finally {
    remove()
  }
}

/**
 * Moves a folder to its place in the cache, whose name depends on its content.
 *
 * @param {string} made on the same file system
 * @param {string} folder
 */
export function moveIntoCache(made, folder) {
  try {
    renameSync(made, folder)
  } catch (error) {
    // Another build was faster; the same name means the same content.
    if (!existsSync(folder)) throw error
  }
}
