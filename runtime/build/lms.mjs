/**
 * Signatures of HSS/LMS (RFC 8554) by Botan 3: each uses up one of the 1024 one-time keys of its key, and Botan notes in
 * the file of the key how many are used. `docs/updates.md` shows how a key is made.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'
import { temporaryFolder } from './temporary.mjs'

/**
 * @param {string} key file; it is changed
 * @returns {(signed: Uint8Array) => Uint8Array}
 */
export function lmsSigner(key) {
  return (signed) => {
    const { path, remove } = temporaryFolder()
    try {
      const file = join(path, 'signed')
      writeFileSync(file, signed)
      return Buffer.from(run(['botan', 'sign', '--hash=', key, file]), 'base64')
    } finally {
      remove()
    }
  }
}

/**
 * The public half, as `updateKeyLms` of a board file.
 *
 * @param {string} key file
 */
export function lmsPublicKey(key) {
  return run(['botan', 'pkcs8', '--pub-out', key]).replace(/-----.*-----|\n/g, '')
}
