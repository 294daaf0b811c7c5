/** The init process of the image as a static program, and the initial RAM disk that it lives in. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sysroot } from '../../runtime/build/sysroot.mjs'
import { cpio, file } from './cpio.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const sources = join(here, 'init')
/** Sources that it shares with the binary. */
const shared = join(here, '../../runtime/embedded/seccomp_program.c')
const language = ['-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_TIME_BITS=64']
const warnings = ['-Wall', '-Wextra', '-Wconversion', '-Werror']
const flags = ['-Os', '-ffunction-sections', '-fdata-sections', '-static', '-s', '-Wl,--gc-sections']

/**
 * Compiles `init/` into one program.
 *
 * @param {string} arch
 * @param {string} out file
 * @param {readonly string[]} more sources
 */
export function compileInit(arch, out, more) {
  const [command, ...target] = sysroot(arch).cc
  const names = readdirSync(sources).filter((name) => name.endsWith('.c'))
  const paths = [...names.sort().map((name) => join(sources, name)), shared, ...more]
  execFileSync(command, [...target, ...language, ...warnings, ...flags, ...paths, '-o', out])
  return out
}

/**
 * @param {string} init program
 * @param {string} root file: the root file system that init takes, and no other
 * @returns the RAM disk, compressed: init, and length and SHA-256 of the root file system
 */
export function initialRamDisk(init, root) {
  const archive = cpio([
    { name: 'rofs', mode: file | 0o600, contents: Buffer.from(identity(readFileSync(root))) },
    { name: 'init', mode: file | 0o700, contents: readFileSync(init) }
  ])
  // The kernel knows no other check than this.
  return execFileSync('xz', ['-9e', '--check=crc32'], { input: archive, maxBuffer: 1 << 26 })
}

/** @param {Uint8Array} bytes */
const identity = (bytes) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}\n`
