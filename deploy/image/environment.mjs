/** The boot loader's environment of a new board: it starts slot A, and names the version in each slot. */
/** @import { Board } from './boards.mjs' */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { slots } from './slots.mjs'

/**
 * The first of the two copies; the other one is erased.
 *
 * @param {Board['flash']} flash
 * @param {string} version
 * @param {string} work folder
 * @returns the path of a file with the beginning of the partition
 */
export function firstEnvironment({ environment: { size }, partitions }, version, work) {
  const known = slots.filter((slot) => partitions.some(({ name }) => name === `kernel-${slot}`))
  const lines = ['slot=a', 'upgrade_available=0', 'bootcount=0', ...known.map((slot) => `version_${slot}=${version}`)]
  const source = join(work, 'environment.txt')
  const out = join(work, 'environment.bin')
  writeFileSync(source, `${lines.join('\n')}\n`)
  execFileSync('mkenvimage', ['-r', '-s', String(size), '-o', out, source])
  return out
}
