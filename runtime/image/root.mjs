/** The read-only root file system: the service, its configuration, and the places where others are mounted. */
/** @import { InitSettings } from './boards.mjs' */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const mountPoints = ['dev', 'proc', 'sys', 'run', 'var']

/**
 * Makes the squashfs.
 *
 * @param {object} options
 * @param {Readonly<Record<string, string>>} options.files paths in the image, and of what is put there: programs, and
 *   folders
 * @param {InitSettings} options.init
 * @param {object} options.service configuration of the service
 * @param {string | undefined} options.password of the first administrator; without one the service makes one up and says
 *   it on the console
 * @param {string} options.work folder
 * @param {string} options.out file
 */
export function rootFileSystem({ files, init, service, password, work, out }) {
  const root = join(work, 'root')
  for (const name of mountPoints) mkdirSync(join(root, name), { recursive: true })
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(source, join(root, path), { recursive: true, dereference: true })
    if (statSync(source).isFile()) chmodSync(join(root, path), 0o755)
  }
  const etc = join(root, 'etc/minnow')
  mkdirSync(etc, { recursive: true })
  writeFileSync(join(etc, 'minnow.json'), `${JSON.stringify(service, undefined, 2)}\n`)
  const lines = Object.entries(init).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(join(etc, 'init.conf'), lines.join(''))
  if (password) writeFileSync(join(etc, 'password'), password, { mode: 0o600 })
  const packing = ['-comp', 'xz', '-b', '256K', '-all-root', '-noappend', '-no-xattrs', '-no-progress', '-quiet']
  execFileSync('mksquashfs', [root, out, ...packing], { stdio: ['ignore', 'ignore', 'inherit'] })
  return out
}
