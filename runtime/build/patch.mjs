import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'

/**
 * Applies a patch to sources that stay as they are: all other files become links to them.
 *
 * @param {string} source folder
 * @param {string} patch file
 * @param {string} out folder of the changed sources
 * @returns {string} `out`
 */
export function patched(source, patch, out) {
  run(['cp', '-rs', `${source}/.`, out])
  for (const [, name = ''] of readFileSync(patch, 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm)) {
    rmSync(join(out, name))
    copyFileSync(join(source, name), join(out, name))
  }
  run(['patch', '-s', '-p1', '-d', out, '-i', patch])
  return out
}
